package io.taskexec.api.job;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.ValueType.text;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.execution.ExecutionView;
import io.taskexec.api.web.Creates;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.PauseRequest;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.Responses;
import io.taskexec.job.JobUpdates;
import io.taskexec.job.Jobs;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.PublicId;
import io.taskexec.model.Uuid7;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.Trigger;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.job.ScheduleControlStore;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Pauses and resumes CRON and INTERVAL jobs, and runs jobs now. */
@Path("/jobs/{id}")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class ScheduleControlResource {
    /** The end of a pause and its reason. */
    public static final ObjectDefinition PAUSE = ObjectDefinition.of(
            "PauseRequest",
            optional("until", Plain.TIME).says("When ticks fire again; default not before it is resumed."),
            optional("reason", text(500)));

    private final JobStore jobs;
    private final JobUpdates updates;
    private final ExecutionStore executions;
    private final ScheduleControlStore store;

    ScheduleControlResource(JobStore jobs, JobUpdates updates, ExecutionStore executions, ScheduleControlStore store) {
        this.jobs = jobs;
        this.updates = updates;
        this.executions = executions;
        this.store = store;
    }

    /** Pauses the schedule, until a time or an open end; replaces a pause that is in force. */
    @POST
    @Path("/pause")
    @Operation(
            operationId = "pauseJob",
            summary = OperationSummary.PAUSE_JOB,
            description = "No tick fires until the given time, or until the schedule is resumed. The body may be"
                    + " left out.")
    @RequestSchema(value = "PauseRequest", required = false)
    @Fails({ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT})
    public Uni<JobView> pause(@RestPath String id, byte @Nullable [] body) {
        var pause = PauseRequest.read(body, PAUSE);
        return Jobs.findScheduled(jobs, id)
                .chain(found -> store.pause(found.job().id(), pause.until(), pause.reason())
                        .chain(done -> shown(done, found)));
    }

    /** Ticks from now on fire again. */
    @POST
    @Path("/resume")
    @Operation(operationId = "resumeJob", summary = OperationSummary.RESUME_JOB)
    @Fails({ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT})
    public Uni<JobView> resume(@RestPath String id) {
        return Jobs.findScheduled(jobs, id)
                .chain(found -> store.resume(found.job().id()).chain(done -> shown(done, found)));
    }

    private Uni<JobView> shown(boolean done, Jobs.Scheduled found) {
        var id = found.job().id();
        return done
                ? jobs.find(id)
                        .map(job -> Lookup.found(job, ErrorCode.JOB_NOT_FOUND, PublicId.JOB.show(id)))
                        .map(JobView::of)
                : Jobs.notInForce(jobs, id, ErrorCode.CONFLICT);
    }

    /** Makes an execution of a schedule now, which stays as it is, or lets a job that runs once run now. */
    @POST
    @Path("/trigger")
    @Operation(
            operationId = "triggerJob",
            summary = OperationSummary.TRIGGER_JOB,
            description = "Of a schedule: creates one execution beside those of the ticks. Of a job that runs once and"
                    + " has not begun: its time is now.")
    @Creates
    @Fails({
        ErrorCode.JOB_NOT_FOUND,
        ErrorCode.CONFLICT,
        ErrorCode.JOB_NOT_UPDATABLE,
        ErrorCode.INPUT_VALIDATION_FAILED,
        ErrorCode.TEMPLATE_RESOLUTION_FAILED
    })
    public Uni<RestResponse<ExecutionView>> trigger(@RestPath String id) {
        return Jobs.find(jobs, id)
                .chain(job -> job.trigger() instanceof Trigger.Scheduled ? fire(job.id()) : runNow(job));
    }

    private Uni<RestResponse<ExecutionView>> runNow(Job job) {
        return updates.runNow(job)
                .chain(() -> executions.find(job.id()))
                .map(execution ->
                        Lookup.found(execution, ErrorCode.EXECUTION_NOT_FOUND, PublicId.EXECUTION.show(job.id())))
                .map(execution -> RestResponse.ok(ExecutionView.of(execution)));
    }

    private Uni<RestResponse<ExecutionView>> fire(UUID jobId) {
        var executionId = Uuid7.next();
        return store.fire(jobId, executionId)
                .chain(done -> done ? executions.find(executionId) : Jobs.notInForce(jobs, jobId, ErrorCode.CONFLICT))
                .map(execution ->
                        Lookup.found(execution, ErrorCode.EXECUTION_NOT_FOUND, PublicId.EXECUTION.show(executionId)))
                .map(execution -> Responses.created(
                        "/executions/" + PublicId.EXECUTION.show(executionId), ExecutionView.of(execution)));
    }
}
