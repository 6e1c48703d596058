package io.taskexec.workflow;

import io.taskexec.job.RealWorkflowJobs;
import io.taskexec.resolve.RealResolver;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.workflow.RunCancellation;
import io.taskexec.store.workflow.RunEnd;
import io.taskexec.store.workflow.RunStart;
import io.taskexec.store.workflow.RunStore;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;

/** The real runs of workflows, on a database of a test. */
public final class RealWorkflows {
    private RealWorkflows() {}

    public static WorkflowRuns on(TestDb db, DueSignal dueSignal) {
        var database = db.database();
        var keys = new IdempotencyKeyStore(database, () -> 24);
        return new WorkflowRuns(
                new RunStore(database),
                new RunStart(database, Stores.creator(database, keys, dueSignal, db.region("default"))),
                ends(database, dueSignal),
                cancellation(database, dueSignal),
                RealWorkflowJobs.on(database),
                RealResolver.contexts(database));
    }

    public static RunCancellation cancellation(Database database, DueSignal dueSignal) {
        return new RunCancellation(
                database,
                Stores.cancelling(database, new CancelSignal()),
                new CancelSignal(),
                new FlowReleases(database, dueSignal),
                new DependencyReleases(database, dueSignal),
                ends(database, dueSignal));
    }

    private static RunEnd ends(Database database, DueSignal dueSignal) {
        return new RunEnd(
                database, Stores.recorder(database, dueSignal), Stores.cancelling(database, new CancelSignal()));
    }
}
