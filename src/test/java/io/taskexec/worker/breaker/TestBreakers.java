package io.taskexec.worker.breaker;

/** Settings of circuit breakers in a test. */
public record TestBreakers(int failurePercent, int minAttempts, int windowSec, int openSec) implements BreakerConfig {
    /** As in production. */
    public static final TestBreakers DEFAULT = new TestBreakers(50, 20, 30, 30);

    /** Never open. */
    public static final TestBreakers OFF = new TestBreakers(0, 20, 30, 30);
}
