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
    /** A decision may come before the deferral is recorded. */
    private static final Duration SOON = Duration.ofSeconds(1);

    /** The terms of an approval. */
    public static DeferralTerms ofApproval(Duration timeout) {
        return new DeferralTerms(DeferralMode.APPROVAL, timeout, null, null, null);
    }

    /** The time until a worker looks at it for the first time. */
    public Duration untilFirstLook() {
        var first = mode == DeferralMode.APPROVAL && timeout.compareTo(SOON) > 0 ? SOON : timeout;
        if (every != null && every.compareTo(first) < 0) {
            first = every;
        }
        return heartbeatTimeout != null && heartbeatTimeout.compareTo(first) < 0 ? heartbeatTimeout : first;
    }
}
