package io.taskexec.api.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Fails;
import io.taskexec.job.Jobs;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.Job;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.job.StatusStore;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.Optional;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestPath;

/** The status report of a job. */
@Path("/jobs/{id}/status")
@Produces(MediaType.APPLICATION_JSON)
public class JobStatusResource {
    /** The limit of running executions among which the last one that ended is searched. */
    private static final int MAX_LOOK = 200;

    private final JobStore jobs;
    private final ExecutionStore executions;
    private final StatusStore store;

    JobStatusResource(JobStore jobs, ExecutionStore executions, StatusStore store) {
        this.jobs = jobs;
        this.executions = executions;
        this.store = store;
    }

    /** Health by the share of failures in the last 24 hours, with the numbers behind it. */
    @GET
    @Operation(operationId = "getJobStatus", summary = OperationSummary.GET_JOB_STATUS)
    @Fails(ErrorCode.JOB_NOT_FOUND)
    public Uni<JobStatusView> get(@RestPath String id) {
        return Jobs.find(jobs, id).chain(this::status);
    }

    private Uni<JobStatusView> status(Job job) {
        return Uni.combine()
                .all()
                .unis(lastEnded(job.id()), store.active(job.id()), store.lastDay(job.id()))
                .with((last, active, stats) -> JobStatusView.of(job, last.orElse(null), active, stats));
    }

    private Uni<Optional<Execution>> lastEnded(UUID jobId) {
        return executions
                .ofJob(jobId, ExecutionStore.Filter.NONE, MAX_LOOK, null)
                .map(page -> page.items().stream()
                        .filter(execution -> execution.completedAt() != null)
                        .findFirst());
    }
}
