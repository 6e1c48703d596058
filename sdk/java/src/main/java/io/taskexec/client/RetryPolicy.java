package io.taskexec.client;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says how often and when an endpoint is tried again. Absent fields have the defaults of the API.
 *
 * @param maxAttempts how many attempts may fail
 * @param backoff {@code fixed}, {@code linear} or {@code exponential}
 * @param initialDelayMs the pause after the first failure
 * @param maxDelayMs the longest pause
 * @param retryOn errors that are retried as well
 * @param noRetryOn errors that are not
 */
public record RetryPolicy(
        @Nullable Integer maxAttempts,
        @Nullable String backoff,
        @Nullable Long initialDelayMs,
        @Nullable Long maxDelayMs,
        @Nullable List<Object> retryOn,
        @Nullable List<Object> noRetryOn) {

    /**
     * Returns a policy whose pauses double from one failure to the next.
     *
     * @param first the first pause
     * @param longest the longest one
     * @param attempts how many attempts may fail
     * @return the policy
     */
    public static RetryPolicy exponential(Duration first, Duration longest, int attempts) {
        return new RetryPolicy(attempts, "exponential", first.toMillis(), longest.toMillis(), null, null);
    }

    /**
     * Returns a policy with the same pause after each failure.
     *
     * @param pause the pause
     * @param attempts how many attempts may fail
     * @return the policy
     */
    public static RetryPolicy fixed(Duration pause, int attempts) {
        // The longest pause may not be shorter than the first one.
        return new RetryPolicy(attempts, "fixed", pause.toMillis(), pause.toMillis(), null, null);
    }

    /**
     * Returns a policy without a second attempt.
     *
     * @return the policy
     */
    public static RetryPolicy never() {
        return new RetryPolicy(1, null, null, null, null, null);
    }
}
