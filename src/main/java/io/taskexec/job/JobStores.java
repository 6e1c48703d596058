package io.taskexec.job;

import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.EagerStarts;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.JobReplacement;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.job.JobUpdateStore;
import io.taskexec.store.job.ScheduleStore;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import jakarta.inject.Singleton;

/** Writes jobs, and reads what was written. */
@Singleton
public final class JobStores {
    private final JobCreator creator;
    private final JobReplacement replacement;
    private final JobUpdateStore updates;
    private final ScheduleStore schedules;
    private final JobStore jobs;

    JobStores(
            JobCreator creator,
            JobReplacement replacement,
            JobUpdateStore updates,
            ScheduleStore schedules,
            JobStore jobs) {
        this.creator = creator;
        this.replacement = replacement;
        this.updates = updates;
        this.schedules = schedules;
        this.jobs = jobs;
    }

    /** Those of a database. */
    static JobStores of(
            Database database,
            IdempotencyKeyStore keys,
            DueSignal dueSignal,
            RegionFilter regions,
            FlowReleases releases,
            DependencyReleases dependencyReleases) {
        var creator =
                new JobCreator(database, keys, dueSignal, regions, releases, dependencyReleases, new EagerStarts());
        return new JobStores(
                creator,
                new JobReplacement(database, creator, releases, dependencyReleases),
                new JobUpdateStore(database, dueSignal, releases),
                new ScheduleStore(database, keys, dueSignal, regions),
                new JobStore(database));
    }

    JobCreator creator() {
        return creator;
    }

    JobReplacement replacement() {
        return replacement;
    }

    JobUpdateStore updates() {
        return updates;
    }

    ScheduleStore schedules() {
        return schedules;
    }

    JobStore jobs() {
        return jobs;
    }
}
