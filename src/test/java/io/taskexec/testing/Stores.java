package io.taskexec.testing;

import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.ResultRecorder;
import io.taskexec.store.execution.SharedClaims;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.CancelStore;
import io.taskexec.store.job.EagerStarts;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;

/** Makes stores with what they need of others. */
public final class Stores {
    private Stores() {}

    public static LeaseStore leases(Database database) {
        return leases(database, new DueSignal());
    }

    public static LeaseStore leases(Database database, DueSignal dueSignal) {
        return new LeaseStore(database, dueSignal, new FlowReleases(database, dueSignal));
    }

    public static SharedClaims sharedClaims(Database database) {
        return new SharedClaims(database, leases(database), new FlowReleases(database, new DueSignal()));
    }

    public static ResultRecorder recorder(Database database) {
        return recorder(database, new DueSignal());
    }

    public static ResultRecorder recorder(Database database, DueSignal dueSignal) {
        return new ResultRecorder(
                database,
                dueSignal,
                new FlowReleases(database, dueSignal),
                new DependencyReleases(database, dueSignal));
    }

    public static JobCreator creator(
            Database database, IdempotencyKeyStore keys, DueSignal dueSignal, RegionFilter regions) {
        return creator(database, keys, dueSignal, regions, new EagerStarts());
    }

    public static JobCreator creator(
            Database database,
            IdempotencyKeyStore keys,
            DueSignal dueSignal,
            RegionFilter regions,
            EagerStarts starts) {
        return new JobCreator(
                database,
                keys,
                dueSignal,
                regions,
                new FlowReleases(database, dueSignal),
                new DependencyReleases(database, dueSignal),
                starts);
    }

    public static CancelStore cancelling(Database database, CancelSignal signal) {
        return new CancelStore(
                database,
                signal,
                new FlowReleases(database, new DueSignal()),
                new DependencyReleases(database, new DueSignal()));
    }
}
