package io.taskexec.wait;

import io.taskexec.job.RealJobCreation;
import io.taskexec.resolve.CallbackAddresses;
import io.taskexec.store.wait.ApprovalStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.TestDb;

/** Approvals on a real database. */
public final class RealApprovals {
    private RealApprovals() {}

    public static Approvals on(TestDb db, DueSignal dueSignal, CallbackAddresses addresses) {
        return new Approvals(new ApprovalStore(db.database(), dueSignal), RealJobCreation.on(db, dueSignal), addresses);
    }
}
