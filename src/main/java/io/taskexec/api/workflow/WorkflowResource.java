package io.taskexec.api.workflow;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.Creates;
import io.taskexec.api.web.DryRunParameter;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.Flags;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.Responses;
import io.taskexec.api.web.TraceHeaders;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.PublicId;
import io.taskexec.model.Uuid7;
import io.taskexec.model.job.JobFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.workflow.RunCancellation;
import io.taskexec.store.workflow.RunRetry;
import io.taskexec.store.workflow.RunStore;
import io.taskexec.workflow.RunReader;
import io.taskexec.workflow.WorkflowCreation;
import io.taskexec.workflow.WorkflowCreation.Created;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.RestHeader;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Runs of workflows: graphs of jobs that are created together. */
@Path("/workflows")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class WorkflowResource {
    /** The statuses that runs are listed by. */
    public static final List<String> STATUSES =
            List.of("PENDING", "RUNNING", "CANCELLING", "SUCCESS", "FAILED", "CANCELLED", "EXPIRED", "SKIPPED");

    private final WorkflowCreation creation;
    private final RunReader reader;
    private final RunStore runs;
    private final RunCancellation cancellation;
    private final RunRetry retries;

    WorkflowResource(
            WorkflowCreation creation,
            RunReader reader,
            RunStore runs,
            RunCancellation cancellation,
            RunRetry retries) {
        this.creation = creation;
        this.reader = reader;
        this.runs = runs;
        this.cancellation = cancellation;
        this.retries = retries;
    }

    /** The answer to a creation: a run, or the job of a schedule of runs. */
    @Schema(name = "CreatedWorkflow")
    record CreatedView(
            @Schema(description = "Of a run; a schedule has runs of their own.") @Nullable
            String workflowId,

            String jobId,
            String name) {
        static CreatedView of(Created created) {
            var id = created.outcome().id();
            return new CreatedView(
                    created.outcome().isOneShot() ? PublicId.WORKFLOW.show(id) : null,
                    PublicId.JOB.show(id),
                    created.name());
        }
    }

    @POST
    @Operation(
            operationId = "createWorkflow",
            summary = "Run a workflow, at once, later or by a schedule.",
            description = "A graph in 'jobs', or the name of a definition. All its jobs are stored when the run starts,"
                    + " or none. The same request with the same idempotency key answers 200 with what exists.")
    @RequestSchema("NewWorkflow")
    @Creates
    @Fails(
            value = {
                ErrorCode.ENDPOINT_NOT_FOUND,
                ErrorCode.WORKFLOW_DEFINITION_NOT_FOUND,
                ErrorCode.CONFLICT,
                ErrorCode.INVALID_CRON,
                ErrorCode.IDEMPOTENCY_KEY_REUSED
            },
            graph = true)
    public Uni<RestResponse<CreatedView>> create(
            byte @Nullable [] body,
            @RestHeader("Idempotency-Key") @Nullable String idempotencyKey,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun,
            @BeanParam TraceHeaders trace,
            @Context ContainerRequestContext request) {
        var dry = DryRunParameter.read(dryRun);
        var time = Caller.checkTime(request, body);
        var fields = Fields.of(body, JobFields.NEW_WORKFLOW);
        return creation.create(fields, idempotencyKey, trace.read(), time, dry).map(created -> {
            var view = CreatedView.of(created);
            if (!created.outcome().created()) {
                return RestResponse.ResponseBuilder.ok(view)
                        .header("Idempotent-Replayed", "true")
                        .build();
            }
            return dry ? RestResponse.ok(view) : Responses.created(location(view), view);
        });
    }

    private static String location(CreatedView view) {
        return view.workflowId() == null ? "/jobs/" + view.jobId() : "/workflows/" + view.workflowId();
    }

    @GET
    @Operation(operationId = "listWorkflows", summary = "List runs of workflows, newest first.")
    public Uni<ListView<WorkflowSummary>> list(
            @BeanParam Paging paging, @RestQuery @Nullable String name, @RestQuery @Nullable String status) {
        if (status != null && !STATUSES.contains(status)) {
            throw new ApiException(
                    ErrorCode.INVALID_REQUEST, "'status' must be one of " + String.join(", ", STATUSES) + ".");
        }
        return runs.list(name, status, paging.limit(), paging.afterId())
                .map(page -> ListView.of(page, WorkflowSummary::of));
    }

    @GET
    @Path("/{id}")
    @Operation(operationId = "getWorkflow", summary = "Get a run of a workflow with its jobs.")
    @Fails(ErrorCode.WORKFLOW_NOT_FOUND)
    public Uni<WorkflowView> get(@RestPath String id) {
        return reader.find(id).map(WorkflowView::of);
    }

    /** Cancels what has not begun; with force also what runs, and what would run whatever happens. */
    @POST
    @Path("/{id}/cancel")
    @Operation(
            operationId = "cancelWorkflow",
            summary = OperationSummary.CANCEL_WORKFLOW,
            description = "Jobs that wait are cancelled at once, but for those with the trigger rule 'always'. The run"
                    + " is CANCELLING until those that run have ended. With force all are cancelled.")
    @Fails({ErrorCode.WORKFLOW_NOT_FOUND, ErrorCode.WORKFLOW_NOT_CANCELLABLE})
    public Uni<WorkflowView> cancel(@RestPath String id, @RestQuery @Nullable String force) {
        var isForced = Flags.parse("force", force);
        return reader.find(id)
                .chain(run -> cancellation.cancel(run.execution().id(), run.name(), isForced))
                .invoke(done -> {
                    if (!done) {
                        throw new ApiException(ErrorCode.WORKFLOW_NOT_CANCELLABLE, "The run has ended.");
                    }
                })
                .chain(() -> get(id));
    }

    /** Makes a run in which the jobs that have failed and those that depend on them are repeated. */
    @POST
    @Path("/{id}/retry")
    @Operation(
            operationId = "retryWorkflow",
            summary = OperationSummary.RETRY_WORKFLOW,
            description = "A new run on the same graph: what has succeeded is not repeated, and its outputs are those"
                    + " of the run before.")
    @Creates
    @Fails({ErrorCode.WORKFLOW_NOT_FOUND, ErrorCode.WORKFLOW_NOT_RETRYABLE})
    public Uni<RestResponse<WorkflowView>> retry(@RestPath String id) {
        var next = Uuid7.next();
        return reader.find(id)
                .chain(run -> retries.retry(run.execution().id(), next))
                .invoke(WorkflowResource::check)
                .chain(() -> repeated(next));
    }

    private static void check(RunRetry.Result result) {
        var reason = switch (result) {
            case STARTED -> null;
            case NOT_FAILED -> "The run has not ended, or none of its jobs has failed.";
            case RETRIED -> "Another retry of the run has not ended.";
            case GONE -> "The definition of the run has been deleted.";
        };
        if (reason != null) {
            throw new ApiException(ErrorCode.WORKFLOW_NOT_RETRYABLE, reason);
        }
    }

    /** Makes a run of all jobs again, on the current definition. */
    @POST
    @Path("/{id}/replay")
    @Operation(
            operationId = "replayWorkflow",
            summary = OperationSummary.REPLAY_WORKFLOW,
            description = "A new run with the same input, on the current version of the definition.")
    @Creates
    @Fails({ErrorCode.WORKFLOW_NOT_FOUND, ErrorCode.WORKFLOW_NOT_RETRYABLE})
    public Uni<RestResponse<WorkflowView>> replay(@RestPath String id) {
        var next = Uuid7.next();
        return reader.find(id)
                .chain(run -> retries.replay(run.execution().id(), next))
                .invoke(done -> {
                    if (!done) {
                        throw new ApiException(
                                ErrorCode.WORKFLOW_NOT_RETRYABLE,
                                "The run has not ended, or its definition has been deleted.");
                    }
                })
                .chain(() -> repeated(next));
    }

    private Uni<RestResponse<WorkflowView>> repeated(UUID run) {
        var id = PublicId.WORKFLOW.show(run);
        return get(id).map(view -> Responses.created("/workflows/" + id, view));
    }
}
