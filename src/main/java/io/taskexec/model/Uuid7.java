package io.taskexec.model;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * UUIDs of version 7 (RFC 9562, 5.7): they sort by their time of creation, which keeps primary-key inserts at the end
 * of the index. Within a process they are strictly increasing, unless the clock was far ahead and is set back.
 */
public final class Uuid7 {
    private static final int SUB_MS_BITS = 12;
    private static final long VARIANT = 0x8000000000000000L;
    private static final AtomicLong LAST = new AtomicLong();

    /** Ids that go on for days in the time of a wrong clock would be in no partition of history. */
    private static final long FAR_AHEAD = Duration.ofHours(1).toMillis() << SUB_MS_BITS;

    private Uuid7() {}

    /** A new id. */
    public static UUID next() {
        var now = ProgramClock.now().toEpochMilli() << SUB_MS_BITS;
        // The 12 bits below the millisecond count what falls within it (RFC 9562, 6.2, method 3).
        var stamp = LAST.updateAndGet(last -> last - now > FAR_AHEAD ? now : Math.max(last + 1, now));
        return of(stamp >>> SUB_MS_BITS, stamp & 0xfff, UUID.randomUUID().getLeastSignificantBits());
    }

    /** The smallest id that can have been made at {@code time} or after 1970: the start of a range by creation time. */
    public static UUID floor(Instant time) {
        return of(Math.max(time.toEpochMilli(), 0), 0, 0);
    }

    public static UUID of(long millis, long subMillis, long random) {
        return new UUID(millis << 16 | 0x7000 | subMillis, VARIANT | (random & 0x3fffffffffffffffL));
    }
}
