package io.taskexec.scheduler;

import java.time.Duration;

/** How fast what is too old is removed: slowly enough that the work at hand does not feel it. */
final class RemovalPace {
    /** Rows of one statement. Who meets one waits for it, and so few are no more than a millisecond or two. */
    static final int BATCH = 100;

    static final Duration BETWEEN_ROUNDS = Duration.ofMinutes(1);

    /** Of one connection a quarter of the time; where the database is busy, batches take longer, and so does the rest. */
    private static final int REST_PER_WORK = 3;

    private RemovalPace() {}

    /** How long to rest after a batch that began at this {@link System#nanoTime} when there is more to do. */
    static Duration restAfter(long beganAt) {
        return Duration.ofNanos((System.nanoTime() - beganAt) * REST_PER_WORK);
    }
}
