package io.taskexec.api.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.execution.ExecutionFilter;
import io.taskexec.api.execution.ExecutionView;
import io.taskexec.api.execution.ExecutionWatch;
import io.taskexec.api.filter.RequestSpans;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.Creates;
import io.taskexec.api.web.Cursor;
import io.taskexec.api.web.DryRunParameter;
import io.taskexec.api.web.Durations;
import io.taskexec.api.web.EntityTags;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.Flags;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.Responses;
import io.taskexec.api.web.TraceHeaders;
import io.taskexec.job.Cancellation;
import io.taskexec.job.CheckTime;
import io.taskexec.job.JobCreation;
import io.taskexec.job.JobPatch;
import io.taskexec.job.JobUpdates;
import io.taskexec.job.Jobs;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.TraceContext;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.RequestBodies;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.job.JobStore;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.jboss.resteasy.reactive.RestHeader;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Jobs: what is done, and when. */
@Path("/jobs")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class JobResource {
    private static final int OK = 200;

    private final JobCreation creation;
    private final JobUpdates updates;
    private final JobStore store;
    private final ExecutionStore executions;
    private final Cancellation cancellation;
    private final RequestSpans spans;
    private final ExecutionWatch watch;

    JobResource(
            JobCreation creation,
            JobUpdates updates,
            JobStore store,
            ExecutionStore executions,
            Cancellation cancellation,
            RequestSpans spans,
            ExecutionWatch watch) {
        this.creation = creation;
        this.updates = updates;
        this.watch = watch;
        this.spans = spans;
        this.cancellation = cancellation;
        this.store = store;
        this.executions = executions;
    }

    @POST
    @Operation(
            operationId = "createJob",
            summary = "Create a job.",
            description = "The trigger decides which fields a job has. The same request with the same idempotency"
                    + " key answers 200 with the job that exists.")
    @RequestSchema("NewJob")
    @Creates
    @Fails({
        ErrorCode.ENDPOINT_NOT_FOUND,
        ErrorCode.CONFLICT,
        ErrorCode.INVALID_CRON,
        ErrorCode.INVALID_QUEUE_REF,
        ErrorCode.TEMPLATE_RESOLUTION_FAILED,
        ErrorCode.INPUT_VALIDATION_FAILED,
        ErrorCode.IDEMPOTENCY_KEY_REUSED,
        ErrorCode.IDEMPOTENCY_KEY_IN_USE,
        ErrorCode.DEPENDENCY_NOT_FOUND,
        ErrorCode.DEPENDENCY_IS_SCHEDULE,
        ErrorCode.DUPLICATE_DEPENDENCY,
        ErrorCode.TOO_MANY_DEPENDENCIES,
        ErrorCode.TRIGGER_RULE_IMPOSSIBLE,
        ErrorCode.UNKNOWN_PARENT,
        ErrorCode.INVALID_CONDITION
    })
    public Uni<RestResponse<JobView>> create(
            byte @Nullable [] body,
            @RestHeader("Idempotency-Key") @Nullable String idempotencyKey,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun,
            @Parameter(
                            description = "An ISO 8601 duration of at most PT1M: the answer waits for so long until a"
                                    + " job that runs once has ended; its 'execution' is that of"
                                    + " GET /executions/{id} then.")
                    @RestQuery
                    @Nullable
                    String wait,
            @BeanParam TraceHeaders trace,
            @Context ContainerRequestContext request,
            @Context RoutingContext client) {
        var fields = RequestBodies.parse(body);
        Caller.checkTarget(request, fields);
        var dry = DryRunParameter.read(dryRun);
        var time = Durations.parse("wait", wait, ExecutionWatch.LONGEST);
        var patience = time == null ? null : new Patience(time, client);
        if (dry && patience != null) {
            throw new ApiException(ErrorCode.INVALID_REQUEST, "'wait' is not for a dry run, which runs nothing.");
        }
        var checkTime = Caller.checkTime(request, body);
        var caller = trace.read();
        var span = spans.begin("POST", "/jobs", caller);
        return span == null
                ? create(fields, idempotencyKey, dry, patience, caller, checkTime)
                : span.around(
                        context -> create(fields, idempotencyKey, dry, patience, context, checkTime),
                        (answer, attributes) -> {
                            attributes.put("http.response.status_code", answer.getStatus());
                            describe(answer.getEntity(), attributes);
                        });
    }

    /** The time that a client waits for the end of a job at most. */
    private record Patience(Duration time, RoutingContext client) {}

    private static void describe(JobView job, Map<String, Object> attributes) {
        attributes.put("taskexec.job_id", job.jobId());
        if (job.endpoint() != null) {
            attributes.put("taskexec.endpoint", job.endpoint());
        }
    }

    private Uni<RestResponse<JobView>> create(
            JsonNode body,
            @Nullable String idempotencyKey,
            boolean dryRun,
            @Nullable Patience patience,
            @Nullable TraceContext trace,
            CheckTime time) {
        var fields = Fields.of(body, "", JobFields.NEW_JOB);
        if (patience != null && JobCreation.isSchedule(fields)) {
            throw new ApiException(ErrorCode.INVALID_REQUEST, "'wait' is not for a schedule, which does not end.");
        }
        return creation.create(fields, idempotencyKey, trace, time, dryRun)
                .chain(outcome -> view(outcome, patience)
                        .map(view -> outcome.created() ? created(view, dryRun) : replayed(view)));
    }

    private Uni<JobView> view(JobCreation.Outcome outcome, @Nullable Patience patience) {
        return patience == null
                ? Uni.createFrom().item(JobView.of(outcome))
                : watch.end(outcome.id(), patience.time(), patience.client())
                        .chain(() -> Uni.combine()
                                .all()
                                .unis(store.find(outcome.id()), executions.find(outcome.id()))
                                .with((job, execution) -> job == null || execution == null
                                        ? JobView.of(outcome)
                                        : JobView.of(outcome, job, ExecutionView.of(execution))));
    }

    @GET
    @Operation(operationId = "listJobs", summary = "List jobs, newest first.")
    public Uni<ListView<JobView>> list(@BeanParam Paging paging, @BeanParam JobFilter filter) {
        return store.list(filter.read(), paging.limit(), paging.afterId()).map(page -> ListView.of(page, JobView::of));
    }

    @GET
    @Path("/{id}")
    @Operation(operationId = "getJob", summary = "Get a job.")
    @Fails(ErrorCode.JOB_NOT_FOUND)
    public Uni<RestResponse<JobView>> get(@RestPath String id) {
        return find(id).map(JobView::of).map(Responses::shown);
    }

    @GET
    @Path("/{id}/executions")
    @Operation(operationId = "listJobExecutions", summary = OperationSummary.LIST_JOB_EXECUTIONS)
    @Fails(ErrorCode.JOB_NOT_FOUND)
    public Uni<ListView<ExecutionView>> executions(
            @RestPath String id, @BeanParam Paging paging, @BeanParam ExecutionFilter filter) {
        var wanted = filter.read();
        return find(id).chain(job -> executions.ofJob(job.id(), wanted, paging.limit(), paging.afterId()))
                .map(page -> ListView.of(page, ExecutionView::of));
    }

    /** Makes the next version of a CRON or INTERVAL job, which takes over at once; the one before is retired. */
    @PUT
    @Path("/{id}")
    @Operation(
            operationId = "updateJob",
            summary = "Replace a CRON or INTERVAL job by its next version.",
            description = "The old version is retired. A field that the body leaves out gets its default, not the"
                    + " value of the old version.")
    @RequestSchema("JobUpdate")
    @Fails({
        ErrorCode.JOB_NOT_FOUND,
        ErrorCode.CONFLICT,
        ErrorCode.JOB_NOT_UPDATABLE,
        ErrorCode.INVALID_CRON,
        ErrorCode.INVALID_QUEUE_REF,
        ErrorCode.TEMPLATE_RESOLUTION_FAILED,
        ErrorCode.INPUT_VALIDATION_FAILED
    })
    public Uni<JobView> update(
            @RestPath String id,
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun,
            @BeanParam TraceHeaders trace,
            @Context ContainerRequestContext request) {
        var dry = DryRunParameter.read(dryRun);
        var time = Caller.checkTime(request, body);
        var given = RequestBodies.parse(body);
        Caller.checkTarget(request, given);
        return changed("PUT", trace.read(), context -> {
            var fields = Fields.of(given, "", JobFields.REPLACEMENT);
            return find(id).chain(job -> creation.replace(job, fields, context, time, dry))
                    .map(JobView::of);
        });
    }

    /** Changes some fields; those that are not named stay as they are. */
    @PATCH
    @Path("/{id}")
    @Operation(
            operationId = "patchJob",
            summary = OperationSummary.UPDATE_JOB,
            description = "A JSON Merge Patch. Fields that it does not name stay as they are; null is the default."
                    + " Of a schedule the result is the next version, as with PUT. A job that runs once keeps its"
                    + " id, and can be changed until it begins.")
    @RequestSchema("JobPatch")
    @Fails({
        ErrorCode.JOB_NOT_FOUND,
        ErrorCode.CONFLICT,
        ErrorCode.JOB_NOT_UPDATABLE,
        ErrorCode.PRECONDITION_FAILED,
        ErrorCode.INVALID_CRON,
        ErrorCode.INVALID_QUEUE_REF,
        ErrorCode.TEMPLATE_RESOLUTION_FAILED,
        ErrorCode.INPUT_VALIDATION_FAILED,
        ErrorCode.TRIGGER_RULE_IMPOSSIBLE,
        ErrorCode.UNKNOWN_PARENT
    })
    public Uni<RestResponse<JobView>> patch(
            @RestPath String id,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun,
            @BeanParam TraceHeaders trace,
            @Context ContainerRequestContext request) {
        var dry = DryRunParameter.read(dryRun);
        var time = Caller.checkTime(request, body);
        var condition = EntityTags.ifMatch(ifMatch);
        var patch = JobPatch.of(body);
        Caller.checkTarget(request, patch.changes());
        return changed(
                        "PATCH",
                        trace.read(),
                        context -> find(id).chain(job ->
                                        updates.patch(job, new JobUpdates.Change(patch, condition, time, dry), context))
                                .map(JobView::of))
                .map(view -> Responses.changed(view, dry));
    }

    /** A change of a schedule, within the trace of its request. */
    private interface Change {
        Uni<JobView> within(@Nullable TraceContext trace);
    }

    private Uni<JobView> changed(String method, @Nullable TraceContext caller, Change work) {
        var span = spans.begin(method, "/jobs/{id}", caller);
        return span == null
                ? work.within(caller)
                : span.around(work::within, (job, attributes) -> {
                    attributes.put("http.response.status_code", OK);
                    describe(job, attributes);
                });
    }

    /** Ends a CRON or INTERVAL job, whose running executions run on, or the execution of a one-shot job. */
    @POST
    @Path("/{id}/cancel")
    @Operation(
            operationId = "cancelJob",
            summary = OperationSummary.CANCEL_JOB,
            description = "A schedule stops, and executions that run are not touched. A job that runs once has its"
                    + " execution cancelled.")
    @Fails({ErrorCode.JOB_NOT_FOUND, ErrorCode.EXECUTION_NOT_CANCELLABLE, ErrorCode.CONFLICT})
    public Uni<JobView> cancel(@RestPath String id, @RestQuery @Nullable String force) {
        return find(id).chain(job -> cancellation.cancel(job, Flags.parse("force", force)))
                .chain(() -> find(id))
                .map(JobView::of);
    }

    /** The versions of a CRON or INTERVAL job, newest first; a one-shot job has one. */
    @GET
    @Path("/{id}/versions")
    @Operation(operationId = "listJobVersions", summary = OperationSummary.LIST_JOB_VERSIONS)
    @Fails(ErrorCode.JOB_NOT_FOUND)
    public Uni<ListView<JobView>> versions(@RestPath String id, @BeanParam Paging paging) {
        var limit = paging.limit();
        var before = Cursor.version(paging.cursor);
        return find(id).chain(job -> store.versions(job.id(), limit, before))
                .map(page -> ListView.of(page, JobView::of));
    }

    private Uni<Job> find(String id) {
        return Jobs.find(store, id);
    }

    private static RestResponse<JobView> created(JobView job, boolean dryRun) {
        return dryRun ? RestResponse.ok(job) : Responses.created("/jobs/" + job.jobId(), job);
    }

    private static RestResponse<JobView> replayed(JobView job) {
        return RestResponse.ResponseBuilder.ok(job)
                .header("Idempotent-Replayed", "true")
                .build();
    }
}
