package io.taskexec.model.activity;

import java.time.Duration;
import java.time.Instant;

/**
 * The work of a minute, by one process or by all.
 *
 * @param at its beginning
 * @param created executions
 * @param ended executions whose end a worker has recorded
 * @param attempts calls that ended
 * @param failures those of them that failed
 * @param depth of all queues at the end; nothing of a process that does not look at it
 */
public record ActivityMinute(
        Instant at, long created, long ended, long attempts, long failures, Latencies latencies, Depth depth) {
    public static final Duration LENGTH = Duration.ofMinutes(1);

    /**
     * The executions in the queues.
     *
     * @param waiting executions that are due, or parked behind others
     */
    public record Depth(long waiting, long running) {
        public static final Depth NONE = new Depth(0, 0);
    }

    /** A time in which nothing was done. */
    public static ActivityMinute empty(Instant at) {
        return new ActivityMinute(at, 0, 0, 0, 0, Latencies.NONE, Depth.NONE);
    }

    /** Returns the sum of what two processes have done, or one in two times; several may have looked at the queues. */
    public ActivityMinute plus(ActivityMinute other) {
        return new ActivityMinute(
                at,
                created + other.created,
                ended + other.ended,
                attempts + other.attempts,
                failures + other.failures,
                latencies.plus(other.latencies),
                new Depth(Math.max(depth.waiting, other.depth.waiting), Math.max(depth.running, other.depth.running)));
    }

    /** Returns what has come since these totals of the same process, with the depth of now. */
    public ActivityMinute since(ActivityMinute earlier) {
        return new ActivityMinute(
                at,
                created - earlier.created,
                ended - earlier.ended,
                attempts - earlier.attempts,
                failures - earlier.failures,
                latencies.minus(earlier.latencies),
                depth);
    }

    /** The same with another depth. */
    public ActivityMinute with(Depth other) {
        return new ActivityMinute(at, created, ended, attempts, failures, latencies, other);
    }
}
