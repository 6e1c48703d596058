package io.taskexec.api;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Job;
import io.taskexec.model.PublicId;
import io.taskexec.model.Trigger;
import io.taskexec.store.JobStore;

/** Finds jobs by the ids that paths give. */
final class Jobs {
    private Jobs() {}

    /** Fails with JOB_NOT_FOUND. */
    static Uni<Job> find(JobStore store, String id) {
        var jobId = Answers.found(PublicId.JOB.parse(id), ErrorCode.JOB_NOT_FOUND, id);
        return store.find(jobId).map(job -> Answers.found(job, ErrorCode.JOB_NOT_FOUND, id));
    }

    /** Fails with JOB_NOT_FOUND, or CONFLICT for a job without a timetable. */
    static Uni<Scheduled> findScheduled(JobStore store, String id) {
        return find(store, id).map(job -> {
            if (job.trigger() instanceof Trigger.Scheduled trigger) {
                return new Scheduled(job, trigger);
            }
            throw new ApiException(ErrorCode.CONFLICT, "Only CRON and INTERVAL jobs have ticks.");
        });
    }

    /** A job with a timetable. */
    record Scheduled(Job job, Trigger.Scheduled trigger) {}
}
