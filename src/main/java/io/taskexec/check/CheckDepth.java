package io.taskexec.check;

import java.time.Duration;

/**
 * The depth of a check, which bounds its cost.
 *
 * @param rows of one table, or of one lane of the queue, for one invariant
 * @param schedules whose ledgers are compared
 * @param ledger how far back
 */
public record CheckDepth(int rows, int schedules, Duration ledger) {
    /** For the command. */
    public static final CheckDepth THOROUGH = new CheckDepth(100_000, 100_000, Duration.ofHours(24));

    /** For a look every minute. */
    public static final CheckDepth QUICK = new CheckDepth(2_000, 1_000, Duration.ofMinutes(15));
}
