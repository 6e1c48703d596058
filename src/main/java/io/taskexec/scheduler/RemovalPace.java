package io.taskexec.scheduler;

import io.taskexec.model.ProgramClock;
import java.time.Duration;

/** Limits the speed of removal, so that it does not slow down the live work. */
final class RemovalPace {
    /** Rows of one statement: some milliseconds of work. */
    static final int BATCH = 200;

    static final Duration BETWEEN_ROUNDS = Duration.ofMinutes(1);

    /**
     * Of one connection a twentieth of the time; where the database is busy, batches take longer, and so does the rest.
     */
    private static final int REST_PER_WORK = 19;

    private RemovalPace() {}

    /** Returns the pause after a batch that began at this {@link System#nanoTime} when there is more to do. */
    static Duration restAfter(long beganAt) {
        if (ProgramClock.ahead().isPositive()) {
            // The virtual clock waits for it.
            return Duration.ZERO;
        }
        var rest = Duration.ofNanos((System.nanoTime() - beganAt) * REST_PER_WORK);
        return rest.compareTo(BETWEEN_ROUNDS) < 0 ? rest : BETWEEN_ROUNDS;
    }

    /** Returns the pause after a round, which may have left something to the next one since others were in the way. */
    static Duration restAfterRound(boolean isBusy) {
        // Those others are done soon, and the virtual clock waits.
        return isBusy && ProgramClock.ahead().isPositive() ? Duration.ZERO : BETWEEN_ROUNDS;
    }
}
