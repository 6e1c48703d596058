package io.taskexec.model.wait;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The wait of an execution for its receiver.
 *
 * @param every the time between two polls; null for callbacks
 * @param pollUrl absolute; null for callbacks
 * @param since when it was deferred
 * @param deadline after which the attempt has failed
 * @param heartbeatTimeout the longest that the receiver may be silent; null for as long as it likes
 * @param heardAt the last sign of life of the receiver
 */
public record Deferral(
        DeferralMode mode,
        @Nullable Duration every,
        @Nullable URI pollUrl,
        Instant since,
        Instant deadline,
        @Nullable Duration heartbeatTimeout,
        Instant heardAt) {
    /** The moment after which the receiver has been silent for too long; null for none. */
    public @Nullable Instant silentAt() {
        return heartbeatTimeout == null ? null : heardAt.plus(heartbeatTimeout);
    }
}
