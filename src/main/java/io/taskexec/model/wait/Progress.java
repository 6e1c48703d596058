package io.taskexec.model.wait;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The progress that a receiver has reported of an execution.
 *
 * @param attempt of which it was reported
 * @param current units that are done, not negative
 * @param total units in all; null when it is not known
 * @param rate units a second, over the last reports; null when it is not known
 */
public record Progress(
        int attempt,
        double current,
        @Nullable Double total,
        @Nullable String message,
        Instant reportedAt,
        @Nullable Double rate) {
    /** A longer time is no estimate. */
    private static final Duration LONGEST = Duration.ofDays(366);

    /** From 0 to 100; null when the total is not known. */
    public @Nullable Double percent() {
        return total == null || total <= 0 ? null : Math.min(100, current / total * 100);
    }

    /** When all will be done, at this rate; null when it is not known. */
    public @Nullable Instant estimatedCompletion() {
        if (total == null || rate == null || rate <= 0) {
            return null;
        }
        var seconds = Math.max(0, total - current) / rate;
        return seconds > LONGEST.toSeconds() ? null : reportedAt.plusMillis(Math.round(seconds * 1000));
    }
}
