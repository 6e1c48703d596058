package io.taskexec.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.store.ExecutionStore;
import io.taskexec.store.JobStore;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.jboss.resteasy.reactive.RestHeader;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** Jobs: what is done, and when. */
@Path("/jobs")
@Produces(MediaType.APPLICATION_JSON)
class JobResource {
    private final JobCreation creation;
    private final JobStore store;
    private final ExecutionStore executions;

    JobResource(JobCreation creation, JobStore store, ExecutionStore executions) {
        this.creation = creation;
        this.store = store;
        this.executions = executions;
    }

    /** A job as it is asked for. */
    record Request(
            String endpoint,
            JobRequest.Kind trigger,
            String idempotencyKey,
            @Nullable Instant runAt,
            @Nullable String delay,
            @Nullable Integer priority,
            @Nullable ObjectNode input) {}

    @POST
    @RequestBody(content = @Content(schema = @Schema(implementation = Request.class)))
    public Uni<RestResponse<JobView>> create(
            byte @Nullable [] body, @RestHeader("Idempotency-Key") @Nullable String idempotencyKey) {
        var request = JobRequest.read(Fields.of(body), idempotencyKey);
        return creation.create(request)
                .map(outcome -> outcome.created() ? created(outcome.job()) : replayed(outcome.job()));
    }

    @GET
    public Uni<ListView<JobView>> list(@BeanParam Paging paging) {
        return store.list(paging.limit(), paging.afterId()).map(page -> ListView.byId(page, JobView::of));
    }

    @GET
    @Path("/{id}")
    public Uni<JobView> get(@RestPath String id) {
        var jobId = Answers.found(PublicId.JOB.parse(id), ErrorCode.JOB_NOT_FOUND, id);
        return store.find(jobId).map(found -> JobView.of(Answers.found(found, ErrorCode.JOB_NOT_FOUND, id)));
    }

    @GET
    @Path("/{id}/executions")
    public Uni<ListView<ExecutionView>> executions(@RestPath String id, @BeanParam Paging paging) {
        var jobId = Answers.found(PublicId.JOB.parse(id), ErrorCode.JOB_NOT_FOUND, id);
        return store.find(jobId)
                .map(found -> Answers.found(found, ErrorCode.JOB_NOT_FOUND, id))
                .chain(found -> executions.ofJob(found.id(), paging.limit(), paging.afterId()))
                .map(page -> ListView.byId(page, ExecutionView::of));
    }

    private static RestResponse<JobView> created(JobView job) {
        return Answers.created("/jobs/" + job.jobId(), job);
    }

    private static RestResponse<JobView> replayed(JobView job) {
        return RestResponse.ResponseBuilder.ok(job)
                .header("Idempotent-Replayed", "true")
                .build();
    }
}
