package io.taskexec.worker.share;

import io.taskexec.model.ProgramClock;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells when full queues are to be looked at for what is deferred and due, which needs no room. Where nothing is
 * deferred, that is one look in a second. Used by one loop only.
 */
final class DeferredTimes {
    /** The longest time that an execution waits which is made due after a look. */
    private static final Duration LONGEST = Duration.ofSeconds(1);

    /** More may be due than was claimed, or locked by others, and another queue may be full. */
    private static final Duration SHORTEST = Duration.ofMillis(50);

    /** A look reads all that is deferred: looks take at most one part of the time in so many. */
    private static final int PARTS = 20;

    private Set<Integer> lookedAt = Set.of();

    /** By {@link ProgramClock#nanoTime}, as is the other. */
    private long earliest = ProgramClock.nanoTime();

    private long next = earliest;

    /**
     * The time until these full queues are to be looked at; null without full queues.
     *
     * @param full those that have something due
     */
    @Nullable
    Duration untilNext(Set<Integer> full) {
        if (full.isEmpty()) {
            return null;
        }
        var at = lookedAt.containsAll(full) ? next : earliest;
        return Duration.ofNanos(Math.max(0, at - ProgramClock.nanoTime()));
    }

    /**
     * Tells of a look.
     *
     * @param begunAt by {@link System#nanoTime}
     * @param untilDue how long it was until the next execution became due; null when none is deferred
     */
    void looked(Set<Integer> full, long begunAt, @Nullable Duration untilDue) {
        var pause = untilDue == null || untilDue.compareTo(LONGEST) > 0 ? LONGEST : untilDue;
        var shortest = Math.max(SHORTEST.toNanos(), PARTS * (System.nanoTime() - begunAt));
        var now = ProgramClock.nanoTime();
        earliest = now + shortest;
        next = now + Math.max(shortest, pause.toNanos());
        lookedAt = Set.copyOf(full);
    }
}
