package io.taskexec.worker.breaker;

import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.sql.Database;
import io.taskexec.worker.adaptive.TestAdaptive;

/** Settings of circuit breakers in a test. */
public record TestBreakers(int failurePercent, int minAttempts, int windowSec, int openSec) implements BreakerConfig {
    /** As in production. */
    public static final TestBreakers DEFAULT = new TestBreakers(50, 20, 30, 30);

    /** Never open. */
    public static final TestBreakers OFF = new TestBreakers(0, 20, 30, 30);

    /** Breakers of a process that limits no endpoint. */
    public static Breakers on(Database database, BreakerConfig config) {
        return new Breakers(new BreakerStore(database), TestAdaptive.off(database), config);
    }
}
