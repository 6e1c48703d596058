package io.taskexec.api.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Creates;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.Responses;
import io.taskexec.model.Uuid7;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.execution.ExecutionSearch;
import io.taskexec.store.execution.ExecutionSearch.Count;
import io.taskexec.store.operation.OperationStore;
import io.taskexec.store.operation.OperationStore.NewOperation;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Does something to all executions that a filter finds. */
@Path("/executions/bulk")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class BulkResource {
    private static final long MAX_COUNT = 100_000;
    private static final int SAMPLE = 10;

    private final ExecutionSearch search;
    private final OperationStore operations;

    BulkResource(ExecutionSearch search, OperationStore operations) {
        this.search = search;
        this.operations = operations;
    }

    /** Begins an operation or, as a dry run, says what it would be about. */
    @POST
    @Operation(
            operationId = "changeExecutions",
            summary = "Retry or cancel many executions.",
            description = "An operation does it in the background. A dry run answers a preview and changes nothing.")
    @RequestSchema("BulkRequest")
    @Creates
    @Fails(ErrorCode.CONFLICT)
    public Uni<RestResponse<BulkAnswer>> create(byte @Nullable [] body) {
        var request = BulkRequest.read(Fields.of(body, BulkRequest.BULK));
        return search.count(request.selection(), MAX_COUNT)
                .chain(count -> request.dryRun() ? preview(request.selection(), count) : begin(request, count));
    }

    private Uni<RestResponse<BulkAnswer>> preview(ExecutionSelection selection, Count count) {
        return search.list(selection, SAMPLE, null)
                .map(page -> page.items().stream().map(ExecutionView::of).toList())
                .map(sample -> RestResponse.ok(new BulkPreview(count.count(), count.more(), sample)));
    }

    private Uni<RestResponse<BulkAnswer>> begin(BulkRequest request, Count count) {
        var operation = new NewOperation(
                Uuid7.next(),
                request.action(),
                request.selection(),
                request.ratePerSec(),
                request.max(),
                count.more() ? null : Long.valueOf(count.count()));
        return operations
                .create(operation)
                .map(OperationView::of)
                .map(view -> Responses.created("/operations/" + view.operationId(), view));
    }
}
