package io.taskexec.model.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The times after which no attempt of a job's executions begins; null for none.
 *
 * @param ttl no first attempt begins later than so long after the run time, or the tick
 * @param expiresAt no first attempt begins at it or later; never together with {@code ttl}
 * @param deadline no attempt at all begins at it or later
 */
public record Expiry(
        @Nullable Duration ttl,
        @Nullable Instant expiresAt,
        @Nullable Instant deadline) {
    /** Nothing expires. */
    public static final Expiry NONE = new Expiry(null, null, null);

    /** Nothing expires but by a time to live. */
    public static Expiry ofTtl(@Nullable Duration ttl) {
        return ttl == null ? NONE : new Expiry(ttl, null, null);
    }

    public boolean isNone() {
        return ttl == null && expiresAt == null && deadline == null;
    }
}
