package io.taskexec.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.Trigger;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.job.CancelStore;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.workflow.RunCancellation;
import jakarta.inject.Singleton;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Cancels jobs and executions, or says why that cannot be done. */
@Singleton
public class Cancellation {
    private final CancelStore store;
    private final JobStore jobs;
    private final RunCancellation runs;

    Cancellation(CancelStore store, JobStore jobs, RunCancellation runs) {
        this.runs = runs;
        this.store = store;
        this.jobs = jobs;
    }

    /**
     * Cancels a job; fails with an {@link ApiException} that says why it cannot be cancelled.
     *
     * @param force also cancels an execution that runs
     */
    public Uni<Void> cancel(Job job, boolean force) {
        return switch (job.trigger()) {
            case Trigger.Scheduled _ -> retire(job.id());
            case Trigger.Immediate _, Trigger.Delayed _ -> cancel(job.execution(), force);
        };
    }

    /** The version that replaced this one is active: the error names it, and it is not cancelled unasked. */
    private Uni<Void> retire(UUID jobId) {
        return inForce(store.retire(jobId), jobId);
    }

    private Uni<Void> inForce(Uni<Boolean> retired, UUID jobId) {
        return retired.chain(
                done -> done ? Uni.createFrom().voidItem() : Jobs.notInForce(jobs, jobId, ErrorCode.CONFLICT));
    }

    /**
     * Cancels the job that has a key and frees the key; fails with an {@link ApiException} that says why it cannot be
     * cancelled. The result is false when another job has taken the key.
     */
    public Uni<Boolean> cancel(Job job, String key, boolean force) {
        if (job.trigger() instanceof Trigger.Scheduled) {
            return inForce(store.retire(job.endpoint(), key, job.id()), job.id())
                    .replaceWith(true);
        }
        if (job.endpointType() == EndpointType.WORKFLOW) {
            // A run ends with its jobs, in many transactions; its key is freed after the request for that.
            return cancel(job, force)
                    .chain(() -> store.free(job.endpoint(), key, job.id()))
                    .replaceWith(true);
        }
        return store.cancel(job.endpoint(), key, job.id(), force);
    }

    /**
     * Cancels an execution; fails with an {@link ApiException} when it has ended or runs, or a person has decided about
     * it. Of the run of a workflow its jobs are cancelled.
     *
     * @param force also cancels an execution that runs, or that a person has decided about
     */
    public Uni<Void> cancel(@Nullable Execution execution, boolean force) {
        return execution == null
                ? Uni.createFrom().failure(notCancellable())
                : cancelOpen(execution, force).invoke(Cancellation::check).replaceWithVoid();
    }

    private Uni<Boolean> cancelOpen(Execution execution, boolean force) {
        return execution.endpointType() == EndpointType.WORKFLOW
                ? runs.cancel(execution.id(), execution.endpoint(), force)
                : store.cancel(execution.id(), force);
    }

    private static void check(boolean cancelled) {
        if (!cancelled) {
            throw notCancellable();
        }
    }

    /** The refusal of a cancellation that comes too late. */
    static ApiException notCancellable() {
        return new ApiException(
                ErrorCode.EXECUTION_NOT_CANCELLABLE,
                "The execution has ended; or it runs, or a person has decided about it, and it can only be cancelled"
                        + " with ?force=true.");
    }
}
