package io.taskexec.api.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.callback.CallbackView;
import io.taskexec.api.web.Creates;
import io.taskexec.api.web.Cursor;
import io.taskexec.api.web.Durations;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.Flags;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.LogPlace;
import io.taskexec.api.web.Paging;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.Responses;
import io.taskexec.job.Cancellation;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.Page;
import io.taskexec.model.PublicId;
import io.taskexec.model.Uuid7;
import io.taskexec.model.job.Attempt;
import io.taskexec.model.job.Execution;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.execution.ExecutionStore.LogLine;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.wait.CallbackRequest;
import io.taskexec.wait.ReceiverCallbacks;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Executions and their attempts. */
@Path("/executions/{id}")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class ExecutionResource {
    private final ExecutionStore store;
    private final Cancellation cancellation;
    private final ReplayStore replays;
    private final ReceiverCallbacks callbacks;
    private final ExecutionWatch watch;

    ExecutionResource(
            ExecutionStore store,
            Cancellation cancellation,
            ReplayStore replays,
            ReceiverCallbacks callbacks,
            ExecutionWatch watch) {
        this.store = store;
        this.watch = watch;
        this.callbacks = callbacks;
        this.replays = replays;
        this.cancellation = cancellation;
    }

    /** Waits for no client that has gone. */
    @GET
    @Cancellable
    @Operation(operationId = "getExecution", summary = "Get an execution.")
    @Fails(ErrorCode.EXECUTION_NOT_FOUND)
    public Uni<ExecutionView> get(
            @RestPath String id,
            @Parameter(
                            description = "An ISO 8601 duration of at most PT1M: the answer waits for so long for a"
                                    + " change of the status, the attempt or the progress, unless it has ended.")
                    @RestQuery
                    @Nullable
                    String wait) {
        var time = Durations.parse("wait", wait, ExecutionWatch.LONGEST);
        if (time == null || time.isZero()) {
            return get(id);
        }
        var executionId = Lookup.found(PublicId.EXECUTION.parse(id), ErrorCode.EXECUTION_NOT_FOUND, id);
        return watch.mark(executionId)
                .chain(mark -> get(id).chain(view -> view.status().isFinal()
                        ? Uni.createFrom().item(view)
                        : watch.change(executionId, mark, time).chain(() -> get(id))));
    }

    private Uni<ExecutionView> get(String id) {
        return Executions.find(store, id).map(ExecutionView::of);
    }

    /** Cancels an execution that waits or, with {@code force}, one that runs. */
    @POST
    @Path("/cancel")
    @Operation(operationId = "cancelExecution", summary = OperationSummary.CANCEL_EXECUTION)
    @Fails({ErrorCode.EXECUTION_NOT_FOUND, ErrorCode.EXECUTION_NOT_CANCELLABLE})
    public Uni<ExecutionView> cancel(@RestPath String id, @RestQuery @Nullable String force) {
        return Executions.find(store, id)
                .chain(found -> cancellation.cancel(found, Flags.parse("force", force)))
                .chain(() -> get(id));
    }

    /** Says of a deferred execution what its receiver would. */
    @POST
    @Path("/callback")
    @Operation(
            operationId = "completeExecution",
            summary = "Say for its receiver how a deferred execution ends, or that its work goes on.")
    @RequestSchema("CallbackRequest")
    @Fails({
        ErrorCode.EXECUTION_NOT_FOUND,
        ErrorCode.CONFLICT,
        ErrorCode.EXECUTION_ENDED,
        ErrorCode.ATTEMPT_ENDED,
        ErrorCode.PAYLOAD_TOO_LARGE
    })
    public Uni<CallbackView> callBack(@RestPath String id, byte @Nullable [] body) {
        // Before the body is read, so that an id that can be none is told of first.
        var found = Executions.find(store, id);
        var request = CallbackRequest.read(body);
        return found.chain(execution -> callbacks
                .latest(execution)
                .chain(attempt -> callbacks.accept(attempt, request))
                .map(answer -> CallbackView.of(execution.id(), answer)));
    }

    /** Repeats an execution that has ended, with the newest version of everything. */
    @POST
    @Path("/retry")
    @Operation(
            operationId = "retryExecution",
            summary = OperationSummary.RETRY_EXECUTION,
            description = "The retry is an execution of its own, with attempts of its own.")
    @Creates
    @Fails({ErrorCode.EXECUTION_NOT_FOUND, ErrorCode.CONFLICT})
    public Uni<RestResponse<ExecutionView>> retry(@RestPath String id) {
        var replayId = Uuid7.next();
        return Executions.find(store, id)
                .chain(found -> replays.replay(found.id(), replayId))
                .invoke(ExecutionResource::checkReplayed)
                .chain(() -> get(PublicId.EXECUTION.show(replayId)))
                .map(view -> Responses.created("/executions/" + view.executionId(), view));
    }

    private static void checkReplayed(boolean replayed) {
        if (!replayed) {
            throw new ApiException(
                    ErrorCode.CONFLICT, "The execution has not ended, or its endpoint has been deleted.");
        }
    }

    /** A line of an execution's log as it is shown. */
    @Schema(name = "LogEntry")
    record LogView(
            int attemptNumber,

            @Schema(enumeration = {"DEBUG", "INFO", "WARN", "ERROR"})
            String level,

            String message,
            Instant loggedAt) {
        static LogView of(LogLine line) {
            return new LogView(line.attempt(), line.level(), line.message(), line.at());
        }
    }

    /** Returns the log of an execution, first line first. */
    @GET
    @Path("/logs")
    @Operation(operationId = "listLogs", summary = "List the log of an execution, first to last.")
    @Fails(ErrorCode.EXECUTION_NOT_FOUND)
    public Uni<ListView<LogView>> logs(@RestPath String id, @BeanParam Paging paging) {
        var limit = paging.limit();
        var from = Cursor.logPlace(paging.cursor);
        return Executions.find(store, id)
                .chain(found -> log(found, from, limit))
                .map(page -> ListView.of(page, LogView::of));
    }

    /** Each attempt has a line at least, so that no more of them are needed than lines. */
    private Uni<Page<LogLine, LogPlace>> log(Execution execution, LogPlace from, int limit) {
        var lines = from.shown() + limit + 1;
        return store.attempts(execution.id(), from.attempt(), lines)
                .chain(attempts -> store.logs(execution.id(), from.attempt(), lines)
                        .map(written -> ExecutionLog.page(execution, attempts, written, from, limit)));
    }

    /** The attempts, first to last. */
    @GET
    @Path("/attempts")
    @Operation(operationId = "listAttempts", summary = OperationSummary.LIST_ATTEMPTS)
    @Fails(ErrorCode.EXECUTION_NOT_FOUND)
    public Uni<ListView<AttemptView>> attempts(@RestPath String id, @BeanParam Paging paging) {
        var limit = paging.limit();
        var after = Cursor.number(paging.cursor);
        return Executions.find(store, id)
                .chain(found -> store.attempts(found.id(), after == null ? 0 : after + 1, limit + 1))
                .map(found -> Page.of(found, limit, Attempt::number))
                .map(page -> ListView.of(page, AttemptView::of));
    }
}
