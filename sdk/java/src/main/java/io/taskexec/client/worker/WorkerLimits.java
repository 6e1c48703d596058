package io.taskexec.client.worker;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** The limits of the lease API. A worker that breaks one would start, and each of its requests would be refused. */
final class WorkerLimits {
    private static final int LONGEST_NAME = 128;
    private static final int MOST_ENDPOINTS = 100;
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(5);
    private static final Duration LONGEST_LEASE = Duration.ofHours(1);

    private WorkerLimits() {}

    static String name(String name) {
        if (name.isBlank() || name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException(
                    "The name of a worker has 1 to %d characters: '%s'".formatted(LONGEST_NAME, name));
        }
        return name;
    }

    static Duration lease(Duration time) {
        if (time.compareTo(SHORTEST_LEASE) < 0
                || time.compareTo(LONGEST_LEASE) > 0
                || !time.truncatedTo(ChronoUnit.MILLIS).equals(time)) {
            throw new IllegalArgumentException(
                    "A lease takes %s to %s, in whole milliseconds: %s".formatted(SHORTEST_LEASE, LONGEST_LEASE, time));
        }
        return time;
    }

    /** The request that waits without room names those of all lanes. */
    static void endpoints(int count) {
        if (count > MOST_ENDPOINTS) {
            throw new IllegalStateException(
                    "A worker has handlers for at most %d endpoints: %d".formatted(MOST_ENDPOINTS, count));
        }
    }
}
