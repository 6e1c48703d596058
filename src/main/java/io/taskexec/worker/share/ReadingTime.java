package io.taskexec.worker.share;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells when the directory of lanes is to be read again. A reading of many lanes is kept for longer, so that readings
 * take a bounded part of the time.
 *
 * @param at when it was read
 * @param lanes how many lanes had executions
 */
record ReadingTime(long at, int lanes) {
    /** How long others may be kept from being noticed while there is something to claim. */
    private static final long BUSY = Duration.ofMillis(100).toNanos();

    /** While there is something to claim, readings take at most one part of the time in so many. */
    private static final int PARTS_BUSY = 20;

    /** With nothing to claim, what is new waits for the next reading. */
    private static final int PARTS_IDLE = 4;

    /** With fewer lanes than these, nothing waits for a reading. */
    private static final int MANY = 200;

    /** What the look at a lane takes. */
    private static final long LOOK = 10_000;

    /** The time of a reading that is outdated at once. */
    static ReadingTime never() {
        return new ReadingTime(System.nanoTime() - Duration.ofHours(1).toNanos(), 0);
    }

    /**
     * Returns whether it is time.
     *
     * @param hasMore whether something is left of what was due then
     */
    boolean isOutdated(long now, boolean hasMore) {
        return now - at >= (hasMore ? Math.max(BUSY, PARTS_BUSY * LOOK * lanes) : pause());
    }

    private long pause() {
        return lanes < MANY ? 0 : PARTS_IDLE * LOOK * lanes;
    }

    /**
     * Returns how long nothing is to be done.
     *
     * @param untilNext how long it was until the next execution became due, when that was read
     */
    @Nullable
    Duration untilNext(long now, @Nullable Duration untilNext) {
        var age = now - at;
        if (age < pause()) {
            return Duration.ofNanos(pause() - age);
        }
        return untilNext == null ? null : untilNext.minusNanos(age);
    }
}
