package io.taskexec.wait;

import io.taskexec.store.sql.Database;
import io.taskexec.store.wait.CallbackRecordStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.workflow.RealWorkflows;

/** The real results, on a database of a test. */
public final class RealOutsideResults {
    private RealOutsideResults() {}

    public static OutsideResults on(TestDb db) {
        return on(db, db.database());
    }

    /** The same, which records results on another way to that database. */
    public static OutsideResults on(TestDb db, Database database) {
        return new OutsideResults(
                Stores.recorder(database), RealWorkflows.on(db, new DueSignal()), new CallbackRecordStore(database));
    }
}
