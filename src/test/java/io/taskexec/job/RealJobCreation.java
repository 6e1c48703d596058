package io.taskexec.job;

import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.endpoint.PayloadSpecStore;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.job.QueueTtls;
import io.taskexec.store.job.ScheduleStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Stores;
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
                Stores.creator(database, keys, dueSignal, region),
                new ScheduleStore(database, keys, dueSignal, region),
                new JobStore(database),
                new JobQueues(new QueueStore(database), new QueueTtls(new QueueSettingsStore(database))),
                checks,
                new DryRuns(database, keys, region));
    }
}
