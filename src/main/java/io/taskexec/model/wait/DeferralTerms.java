package io.taskexec.model.wait;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The terms on which a receiver has deferred an attempt.
 *
 * @param timeout after which the attempt has failed
 * @param every the time between two polls; null for callbacks
 * @param pollUrl absolute; null for callbacks
 * @param heartbeatTimeout the longest that the receiver may be silent; null for as long as it likes
 */
public record DeferralTerms(
        DeferralMode mode,
        Duration timeout,
        @Nullable Duration every,
        @Nullable URI pollUrl,
        @Nullable Duration heartbeatTimeout) {
    /** The time until a worker looks at it for the first time. */
    public Duration untilFirstLook() {
        var first = timeout;
        if (every != null && every.compareTo(first) < 0) {
            first = every;
        }
        return heartbeatTimeout != null && heartbeatTimeout.compareTo(first) < 0 ? heartbeatTimeout : first;
    }
}
