package io.taskexec.worker.adaptive;

import io.taskexec.model.Switch;
import io.taskexec.store.flow.AdaptiveLimitStore;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;

/** Makes adaptive limits for a test. */
public final class TestAdaptive {
    private TestAdaptive() {}

    /** Limits as in production. */
    public static AdaptiveLimits on(Database database, DueSignal dueSignal) {
        return limits(database, dueSignal, Switch.TRUE);
    }

    /** Limits that never begin. */
    public static AdaptiveLimits off(Database database) {
        return limits(database, new DueSignal(), Switch.FALSE);
    }

    private static AdaptiveLimits limits(Database database, DueSignal dueSignal, Switch enabled) {
        return new AdaptiveLimits(
                new AdaptiveLimitStore(database, new FlowReleases(database, dueSignal)), () -> enabled);
    }
}
