package io.taskexec.api;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.store.ExecutionStore;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.jboss.resteasy.reactive.RestPath;

/** Executions and their attempts. */
@Path("/executions/{id}")
@Produces(MediaType.APPLICATION_JSON)
class ExecutionResource {
    private final ExecutionStore store;

    ExecutionResource(ExecutionStore store) {
        this.store = store;
    }

    @GET
    public Uni<ExecutionView> get(@RestPath String id) {
        var executionId = Answers.found(PublicId.EXECUTION.parse(id), ErrorCode.EXECUTION_NOT_FOUND, id);
        return store.find(executionId)
                .map(found -> ExecutionView.of(Answers.found(found, ErrorCode.EXECUTION_NOT_FOUND, id)));
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
