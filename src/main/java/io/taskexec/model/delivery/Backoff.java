package io.taskexec.model.delivery;

import io.taskexec.model.endpoint.RetryPolicy;
import java.time.Duration;

/** The delay before the next attempt. */
public final class Backoff {
    /** The part of a delay that jitter may take away, so that what failed together does not return together. */
    static final double MAX_JITTER = 0.25;

    // 2^62 ms is beyond any max_delay; more doublings would only overflow.
    private static final int MAX_DOUBLINGS = 62;

    private Backoff() {}

    /**
     * The delay after the given number of failed attempts. It is clamped before the jitter, which only shortens it:
     * clamping after would let every long delay end at exactly the maximum.
     *
     * @param failures failed attempts so far, at least 1
     * @param jitter from 0 (none) to 1 (all that is allowed)
     */
    public static Duration delay(RetryPolicy policy, int failures, double jitter) {
        var initial = policy.initialDelay().toMillis();
        var grown = switch (policy.backoff()) {
            case FIXED -> initial;
            case LINEAR -> saturatedMultiply(initial, failures);
            case EXPONENTIAL -> saturatedMultiply(initial, 1L << Math.min(failures - 1, MAX_DOUBLINGS));
        };
        var clamped = Math.min(grown, policy.maxDelay().toMillis());
        return Duration.ofMillis(clamped - Math.round(clamped * MAX_JITTER * jitter));
    }

    private static long saturatedMultiply(long a, long b) {
        return Math.multiplyHigh(a, b) == 0 && a * b >= 0 ? a * b : Long.MAX_VALUE;
    }
}
