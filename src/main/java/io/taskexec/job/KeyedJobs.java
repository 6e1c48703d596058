package io.taskexec.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.job.JobUpdates.Change;
import io.taskexec.model.TraceContext;
import io.taskexec.model.job.Job;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobStore;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Finds, changes and cancels jobs by the idempotency keys that they were created with. */
@Singleton
public final class KeyedJobs {
    /** The limit of retries when other jobs take the key during a request. */
    private static final int MAX_TRIES = 10;

    private final IdempotencyKeyStore keys;
    private final JobStore jobs;
    private final JobUpdates updates;
    private final Cancellation cancellation;

    KeyedJobs(IdempotencyKeyStore keys, JobStore jobs, JobUpdates updates, Cancellation cancellation) {
        this.keys = keys;
        this.jobs = jobs;
        this.updates = updates;
        this.cancellation = cancellation;
    }

    /** Fails with JOB_NOT_FOUND. */
    public Uni<Job> find(String endpoint, String key) {
        return keys.findJob(endpoint, key)
                .chain(id -> id == null ? Uni.createFrom().<@Nullable Job>nullItem() : jobs.find(id))
                .map(job -> {
                    if (job == null) {
                        throw new ApiException(
                                ErrorCode.JOB_NOT_FOUND,
                                "No job of the endpoint '%s' has the key '%s'.".formatted(endpoint, key));
                    }
                    return job;
                });
    }

    /** Patches the job that has a key; fails as {@link JobUpdates#patch} does. */
    public Uni<Job> patch(String endpoint, String key, Change change, @Nullable TraceContext trace) {
        return find(endpoint, key).chain(job -> updates.patch(job, change, trace));
    }

    /**
     * Cancels the job that has a key and frees the key; fails when the job has begun or ended.
     *
     * @param force also cancels an execution that runs
     */
    public Uni<Job> cancel(String endpoint, String key, boolean force) {
        return cancel(endpoint, key, force, MAX_TRIES);
    }

    private Uni<Job> cancel(String endpoint, String key, boolean force, int triesLeft) {
        return find(endpoint, key)
                .chain(job -> cancellation.cancel(job, key, force).chain(done -> {
                    if (done) {
                        return jobs.find(job.id()).map(found -> Lookup.found(found, ErrorCode.JOB_NOT_FOUND, key));
                    }
                    return keys.findJob(endpoint, key).chain(owner -> {
                        if (triesLeft == 0 || job.id().equals(owner)) {
                            throw Cancellation.notCancellable();
                        }
                        return cancel(endpoint, key, force, triesLeft - 1);
                    });
                }));
    }
}
