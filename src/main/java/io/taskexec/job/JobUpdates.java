package io.taskexec.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.TraceContext;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.Trigger;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import io.taskexec.store.endpoint.Precondition;
import io.taskexec.store.endpoint.PreconditionFailedException;
import io.taskexec.store.job.NewJob;
import jakarta.inject.Singleton;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Changes schedules, and one-shot jobs that have not begun, or says why that cannot be done. */
@Singleton
public final class JobUpdates {
    /** The limit of retries when a job is changed by others during a request. */
    private static final int MAX_TRIES = 10;

    private static final Set<ExecutionStatus> UNBEGUN =
            EnumSet.of(ExecutionStatus.WAITING, ExecutionStatus.PENDING, ExecutionStatus.QUEUED);

    private final JobCreation creation;
    private final RegisteredEndpoints endpoints;
    private final JobStores stores;
    private final JobQueues queues;
    private final InputChecks checks;
    private final DryRuns dryRuns;

    JobUpdates(
            JobCreation creation,
            RegisteredEndpoints endpoints,
            JobStores stores,
            JobQueues queues,
            InputChecks checks,
            DryRuns dryRuns) {
        this.creation = creation;
        this.endpoints = endpoints;
        this.stores = stores;
        this.queues = queues;
        this.checks = checks;
        this.dryRuns = dryRuns;
    }

    /**
     * A change that is asked for.
     *
     * @param condition on the version of the job
     * @param time what is left to the request for checks
     * @param dryRun whether it is only tried
     */
    public record Change(JobPatch patch, Precondition condition, CheckTime time, boolean dryRun) {}

    /**
     * Patches a job; fails with an {@link ApiException} that says why it cannot be.
     *
     * @param trace of the next version of a schedule
     */
    public Uni<Job> patch(Job job, Change change, @Nullable TraceContext trace) {
        if (!(job.trigger() instanceof Trigger.Scheduled)) {
            return patch(job, change, MAX_TRIES);
        }
        check(change.condition(), job);
        return creation.patch(job, change.patch(), trace, change.time(), change.dryRun());
    }

    /** Makes a one-shot job run now. */
    public Uni<Job> runNow(Job job) {
        var execution = job.execution();
        if (execution != null && execution.status() == ExecutionStatus.WAITING) {
            throw new ApiException(ErrorCode.CONFLICT, "The job waits for the jobs that it depends on.");
        }
        return execution != null && execution.status() == ExecutionStatus.QUEUED
                ? Uni.createFrom().item(job)
                : patch(
                        job,
                        new Change(JobPatch.runningNow(), Precondition.NONE, new CheckTime("", 0), false),
                        MAX_TRIES);
    }

    private static void check(Precondition condition, Job job) {
        if (!condition.holds(job.version(), job.createdAt())) {
            throw new PreconditionFailedException();
        }
    }

    /** The job was changed by another request since it was read. */
    private static final class OutdatedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OutdatedException() {
            super("the job has changed", null, false, false);
        }
    }

    private Uni<Job> patch(Job job, Change change, int triesLeft) {
        return patchOnce(job, change)
                .onFailure(OutdatedException.class)
                .recoverWithUni(() -> triesLeft > 0
                        ? find(job.id()).chain(next -> patch(next, change, triesLeft - 1))
                        : Uni.createFrom()
                                .failure(new ApiException(ErrorCode.CONFLICT, "The job keeps changing; try again.")));
    }

    private Uni<Job> patchOnce(Job job, Change change) {
        check(change.condition(), job);
        checkUnbegun(job);
        var next = change.patch().applyOnce(job);
        if (next.isSame()) {
            return Uni.createFrom().item(job);
        }
        var request = next.request();
        var fields = next.fields();
        return endpoints.allowed(
                request.options(),
                fields,
                () -> endpoints.withCurrent(
                        request.endpoint(),
                        change.dryRun(),
                        endpoint -> queues.queued(
                                endpoint,
                                request.queue(),
                                fields,
                                queue -> checks.checked(
                                        JobCreation.schema(endpoint, request),
                                        request.input(),
                                        fields.pointer("input"),
                                        change.time(),
                                        () -> {
                                            OptionFields.checkFits(fields, endpoint.type());
                                            var changed = request.newJob(job.id(), endpoint, queue, null);
                                            return queues.settled(changed)
                                                    .chain(effective -> dryRuns.write(
                                                            change.dryRun(),
                                                            stores,
                                                            endpoint.name(),
                                                            writing -> write(writing, effective, job.version(), next)));
                                        }))));
    }

    private static Uni<@Nullable Job> write(JobStores writing, NewJob changed, int version, JobPatch.Once next) {
        return writing.updates().update(changed, version, next.isRetimed()).chain(result -> switch (result) {
            case CHANGED -> Jobs.read(writing.jobs(), changed.id());
            case STALE -> Uni.createFrom().nullItem();
            case OUTDATED, BEGUN -> Uni.createFrom().failure(new OutdatedException());
        });
    }

    private Uni<Job> find(UUID id) {
        return stores.jobs().find(id).map(job -> Lookup.found(job, ErrorCode.JOB_NOT_FOUND, PublicId.JOB.show(id)));
    }

    private static void checkUnbegun(Job job) {
        var execution = job.execution();
        if (execution == null || !UNBEGUN.contains(execution.status())) {
            var hasEnded = execution == null || execution.status().isFinal();
            throw notUpdatable("The job has %s: its execution is %s."
                    .formatted(hasEnded ? "ended" : "begun", execution == null ? "gone" : execution.status()));
        }
        if (job.options().run() != null) {
            throw notUpdatable("The job belongs to the run of a workflow.");
        }
        if (job.options().announcement() != null || job.idempotencyKey() == null) {
            throw notUpdatable("The job was not created by a request.");
        }
    }

    private static ApiException notUpdatable(String message) {
        return new ApiException(ErrorCode.JOB_NOT_UPDATABLE, message);
    }
}
