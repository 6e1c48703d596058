package io.taskexec.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The pause before another try: doubled each time, with up to half of it taken off at random. */
public final class Backoff {
    private static final long FIRST_MS = 200;
    private static final long LONGEST_MS = 10_000;
    private static final int MAX_DOUBLINGS = 6;
    private static final Duration LONGEST_ASKED = Duration.ofMinutes(1);

    private Backoff() {}

    /**
     * Returns the pause.
     *
     * @param failures how many tries have failed, at least one
     * @return at most ten seconds
     */
    public static Duration after(int failures) {
        var doublings = Math.min(Math.max(failures - 1, 0), MAX_DOUBLINGS);
        var full = Math.min(FIRST_MS << doublings, LONGEST_MS);
        return Duration.ofMillis(full - ThreadLocalRandom.current().nextLong(full / 2 + 1));
    }

    /**
     * Returns the pause of a client that tries without an end: as long as the server asks, but at most a minute, since
     * it may be back before.
     *
     * @param failures how many tries have failed, at least one
     * @param asked by the server; null when it does not ask
     * @return at most a minute
     */
    public static Duration after(int failures, @Nullable Duration asked) {
        var pause = after(failures);
        if (asked == null || asked.compareTo(pause) < 0) {
            return pause;
        }
        return asked.compareTo(LONGEST_ASKED) < 0 ? asked : LONGEST_ASKED;
    }
}
