package io.taskexec.api.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.DryRunParameter;
import io.taskexec.api.web.EntityTags;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.Flags;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.Responses;
import io.taskexec.api.web.TraceHeaders;
import io.taskexec.job.JobPatch;
import io.taskexec.job.JobUpdates.Change;
import io.taskexec.job.KeyedJobs;
import io.taskexec.request.ErrorCode;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestHeader;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Jobs by the keys that their clients have given them. */
@Path("/endpoints/{name}/keys/{key}")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class JobKeyResource {
    private final KeyedJobs jobs;

    JobKeyResource(KeyedJobs jobs) {
        this.jobs = jobs;
    }

    @GET
    @Operation(
            operationId = "getJobByKey",
            summary = "Get the job that has a key.",
            description =
                    "Of a schedule, the newest version. A key lives as long as its job has not ended, and at least"
                            + " as long as keys are kept.")
    @Fails(ErrorCode.JOB_NOT_FOUND)
    public Uni<RestResponse<JobView>> get(@RestPath String name, @RestPath String key) {
        return jobs.find(name, key).map(JobView::of).map(Responses::shown);
    }

    @PATCH
    @Operation(
            operationId = "patchJobByKey",
            summary = "Change the job that has a key.",
            description = "As with PATCH /jobs/{id}.")
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
            @RestPath String name,
            @RestPath String key,
            @RestHeader(EntityTags.IF_MATCH) List<String> ifMatch,
            byte @Nullable [] body,
            @RestQuery(DryRunParameter.NAME) @Nullable String dryRun,
            @BeanParam TraceHeaders trace,
            @Context ContainerRequestContext request) {
        var dry = DryRunParameter.read(dryRun);
        var patch = JobPatch.of(body);
        Caller.checkTarget(request, patch.changes());
        var change = new Change(patch, EntityTags.ifMatch(ifMatch), Caller.checkTime(request, body), dry);
        return jobs.patch(name, key, change, trace.read()).map(JobView::of).map(view -> Responses.changed(view, dry));
    }

    /** Ends the job, as clearTimeout does, and lets another job have the key. */
    @DELETE
    @Operation(
            operationId = "cancelJobByKey",
            summary = "Cancel the job that has a key, and free the key.",
            description = "Both or none: a job that has begun is cancelled with ?force=true alone. A schedule stops."
                    + " Of the run of a workflow the jobs are cancelled, at once those that wait, and then the key is"
                    + " freed; it ends when they have ended.")
    @Fails({ErrorCode.JOB_NOT_FOUND, ErrorCode.EXECUTION_NOT_CANCELLABLE, ErrorCode.CONFLICT})
    public Uni<JobView> cancel(@RestPath String name, @RestPath String key, @RestQuery @Nullable String force) {
        return jobs.cancel(name, key, Flags.parse("force", force)).map(JobView::of);
    }
}
