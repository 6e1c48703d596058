package io.taskexec.model;

import java.time.Duration;
import java.time.Instant;

/**
 * The clock of jobs, schedules and history. It is that of the system, unless {@code taskexec dev --virtual-clock} has
 * moved it ahead. Leases, heartbeats, signatures and spans go by the clock of the system. There is one for the whole
 * process, as there is one system clock: {@link Uuid7} makes ids by it everywhere.
 */
public final class ProgramClock {
    private static volatile Duration ahead = Duration.ZERO;

    private ProgramClock() {}

    public static Instant now() {
        return Instant.now().plus(ahead);
    }

    /** Like {@link System#nanoTime}, and never goes back either. */
    public static long nanoTime() {
        return System.nanoTime() + ahead.toNanos();
    }

    /** How far it is ahead of the clock of the system. */
    public static Duration ahead() {
        return ahead;
    }

    /** Moves it so far ahead of the clock of the system. */
    public static void setAhead(Duration time) {
        ahead = time;
    }
}
