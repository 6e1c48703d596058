package io.taskexec.wait;

import io.taskexec.store.wait.CallbackRecordStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.workflow.RealWorkflows;

/** The real results, on a database of a test. */
public final class RealOutsideResults {
    private RealOutsideResults() {}

    public static OutsideResults on(TestDb db) {
        return new OutsideResults(
                Stores.recorder(db.database()),
                RealWorkflows.on(db, new DueSignal()),
                new CallbackRecordStore(db.database()));
    }
}
