package io.taskexec.api.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Fails;
import io.taskexec.model.job.Execution;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import io.taskexec.resolve.RequestPreview;
import io.taskexec.resolve.RequestPreview.Result;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.job.JobStore;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestPath;

/** Requests of executions, without their secrets. */
@Path("/executions/{id}/request")
@Produces(MediaType.APPLICATION_JSON)
public class RequestResource {
    private final ExecutionStore executions;
    private final JobStore jobs;
    private final RequestPreview preview;

    RequestResource(ExecutionStore executions, JobStore jobs, RequestPreview preview) {
        this.executions = executions;
        this.jobs = jobs;
        this.preview = preview;
    }

    @GET
    @Operation(
            operationId = "getDeliveryRequest",
            summary = "Get the HTTP request of an execution, with marks in the places of secrets.")
    @Fails({ErrorCode.EXECUTION_NOT_FOUND, ErrorCode.CONFLICT})
    public Uni<RequestView> get(@RestPath String id) {
        return Executions.find(executions, id).chain(execution -> of(execution, id));
    }

    private Uni<RequestView> of(Execution execution, String id) {
        return jobs.find(execution.jobId())
                .map(job -> Lookup.found(job, ErrorCode.EXECUTION_NOT_FOUND, id))
                .chain(job -> preview.of(execution, job).map(result -> switch (result) {
                    case Result.Request request ->
                        RequestView.of(execution, request, job.options().target() != null);
                    case Result.Impossible(var reason) ->
                        throw new ApiException(ErrorCode.CONFLICT, "The execution has no request: " + reason);
                }));
    }
}
