package io.taskexec.worker;

/** Settings of circuit breakers in a test. */
record TestBreakers(int failurePercent, int minAttempts, int windowSec, int openSec) implements BreakerConfig {
    /** As in production. */
    static final TestBreakers DEFAULT = new TestBreakers(50, 20, 30, 30);

    /** Never open. */
    static final TestBreakers OFF = new TestBreakers(0, 20, 30, 30);
}
