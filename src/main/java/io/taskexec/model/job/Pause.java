package io.taskexec.model.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A time in which a schedule does not fire.
 *
 * @param until null for an open end
 */
public record Pause(
        Instant from, @Nullable Instant until, @Nullable String reason) {
    /** Whether a tick falls into it. */
    public boolean covers(Instant tick) {
        return !tick.isBefore(from) && (until == null || tick.isBefore(until));
    }
}
