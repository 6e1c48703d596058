package io.taskexec.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** The pause before another try: doubled each time, with up to half of it taken off at random. */
public final class Backoff {
    private static final long FIRST_MS = 200;
    private static final long LONGEST_MS = 10_000;
    private static final int MAX_DOUBLINGS = 6;

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
}
