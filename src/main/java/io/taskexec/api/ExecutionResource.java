package io.taskexec.api;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.store.ExecutionStore;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Executions and their attempts. */
@Path("/executions/{id}")
@Produces(MediaType.APPLICATION_JSON)
class ExecutionResource {
    private final ExecutionStore store;
    private final Cancellation cancellation;

    ExecutionResource(ExecutionStore store, Cancellation cancellation) {
        this.store = store;
        this.cancellation = cancellation;
    }

    @GET
    public Uni<ExecutionView> get(@RestPath String id) {
        var executionId = Answers.found(PublicId.EXECUTION.parse(id), ErrorCode.EXECUTION_NOT_FOUND, id);
        return store.find(executionId)
                .map(found -> ExecutionView.of(Answers.found(found, ErrorCode.EXECUTION_NOT_FOUND, id)));
    }

    /** Cancels an execution that waits or, with {@code force}, one that runs. */
    @POST
    @Path("/cancel")
    public Uni<ExecutionView> cancel(@RestPath String id, @RestQuery @Nullable String force) {
        var executionId = Answers.found(PublicId.EXECUTION.parse(id), ErrorCode.EXECUTION_NOT_FOUND, id);
        return store.find(executionId)
                .map(found -> Answers.found(found, ErrorCode.EXECUTION_NOT_FOUND, id))
                .chain(found -> cancellation.cancel(found, Cancellation.isForced(force)))
                .chain(() -> get(id));
    }

    /** All attempts, first to last: their number is bounded by the retry policy and the rescue limit. */
    @GET
    @Path("/attempts")
    public Uni<ListView<AttemptView>> attempts(@RestPath String id) {
        var executionId = Answers.found(PublicId.EXECUTION.parse(id), ErrorCode.EXECUTION_NOT_FOUND, id);
        return store.find(executionId)
                .map(found -> Answers.found(found, ErrorCode.EXECUTION_NOT_FOUND, id))
                .chain(found -> store.attempts(found.id()))
                .map(attempts ->
                        new ListView<>(attempts.stream().map(AttemptView::of).toList(), null));
    }
}
