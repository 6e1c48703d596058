package io.taskexec.model;

import java.time.Duration;

/**
 * How often and how soon a failed attempt is followed by another.
 *
 * @param maxAttempts attempts in all, the first included; lost and interrupted ones do not count
 * @param backoff how the delay grows
 * @param initialDelay delay before the second attempt
 * @param maxDelay upper bound of every delay
 */
public record RetryPolicy(int maxAttempts, Backoff backoff, Duration initialDelay, Duration maxDelay) {
    /** The policy of an endpoint that states none: one attempt. */
    public static final RetryPolicy DEFAULT =
            new RetryPolicy(1, Backoff.EXPONENTIAL, Duration.ofSeconds(1), Duration.ofMinutes(1));

    /** How the delay grows from attempt to attempt. */
    public enum Backoff {
        FIXED,
        LINEAR,
        EXPONENTIAL
    }
}
