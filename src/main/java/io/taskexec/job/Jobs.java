package io.taskexec.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.Trigger;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import io.taskexec.store.job.JobStore;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds jobs by the ids that paths give. */
public final class Jobs {
    private Jobs() {}

    /** Fails with JOB_NOT_FOUND. */
    public static Uni<Job> find(JobStore store, String id) {
        var jobId = Lookup.found(PublicId.JOB.parse(id), ErrorCode.JOB_NOT_FOUND, id);
        return store.find(jobId).map(job -> Lookup.found(job, ErrorCode.JOB_NOT_FOUND, id));
    }

    /** Fails with JOB_NOT_FOUND, or CONFLICT for a job without a timetable. */
    public static Uni<Scheduled> findScheduled(JobStore store, String id) {
        return find(store, id).map(job -> {
            if (job.trigger() instanceof Trigger.Scheduled trigger) {
                return new Scheduled(job, trigger);
            }
            throw new ApiException(ErrorCode.CONFLICT, "Only CRON and INTERVAL jobs have ticks.");
        });
    }

    /** Fails, saying which version has replaced a schedule that was found not to be in force, if one has. */
    public static <T extends @Nullable Object> Uni<T> notInForce(JobStore store, UUID id, ErrorCode code) {
        return store.find(id).map(job -> {
            var next = job == null ? null : job.replacedById();
            if (job == null || next == null) {
                throw new ApiException(code, "The job is not in force any more.");
            }
            var nextId = PublicId.JOB.show(next);
            var message = "Version %d of the job is not in force any more: version %d has replaced it, which is '%s'."
                    .formatted(job.version(), job.version() + 1, nextId);
            throw ApiException.replaced(code, message, nextId);
        });
    }

    /** The job that a key belongs to; fails with IDEMPOTENCY_KEY_REUSED. */
    static Uni<@Nullable Job> existing(JobStore jobs, String key, UUID id, boolean sameRequest) {
        if (!sameRequest) {
            throw new ApiException(
                    ErrorCode.IDEMPOTENCY_KEY_REUSED,
                    "The idempotency key '%s' belongs to another request.".formatted(key));
        }
        return read(jobs, id);
    }

    /** A job that was just written. */
    static Uni<@Nullable Job> read(JobStore jobs, UUID id) {
        return jobs.find(id).map(job -> Lookup.found(job, ErrorCode.JOB_NOT_FOUND, PublicId.JOB.show(id)));
    }

    /** A job with a timetable. */
    public record Scheduled(Job job, Trigger.Scheduled trigger) {}
}
