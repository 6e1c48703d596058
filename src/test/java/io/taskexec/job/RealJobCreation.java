package io.taskexec.job;

import io.taskexec.store.dependency.Joins;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.endpoint.PayloadSpecStore;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.QueueTtls;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.TestDb;

/** The creation of jobs on a real database. */
public final class RealJobCreation {
    private RealJobCreation() {}

    public static JobCreation on(TestDb db, DueSignal dueSignal) {
        var keys = new IdempotencyKeyStore(db.database(), () -> 24);
        var region = db.region("default");
        var checks = new InputChecks();
        var database = db.database();
        return new JobCreation(
                new RegisteredEndpoints(new EndpointStore(database), new PayloadSpecStore(database), checks),
                stores(database, keys, dueSignal, region),
                new JobQueues(new QueueStore(database), new QueueTtls(new QueueSettingsStore(database))),
                checks,
                new DryRuns(database, keys, region));
    }

    static JobStores stores(Database database, IdempotencyKeyStore keys, DueSignal dueSignal, RegionFilter regions) {
        return JobStores.of(
                database,
                keys,
                dueSignal,
                regions,
                new FlowReleases(database, dueSignal),
                new Joins(database, dueSignal));
    }
}
