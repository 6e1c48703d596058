package io.taskexec.worker.adaptive;

import java.time.Duration;

/** Compares how long calls take now with a quiet time. Not for several threads. */
final class CallTimes {
    /** The weight of one call in the average. */
    private static final double WEIGHT = 0.05;

    /** Fewer calls have no average. */
    private static final int FEWEST = 20;

    /** The quiet time is the better one of the last two of these. */
    private static final long PERIOD = Duration.ofSeconds(30).toNanos();

    /** Differences below are not worth a change. */
    private static final double LEAST = Duration.ofMillis(20).toNanos();

    private double average;
    private int count;
    private double lowest = Double.MAX_VALUE;
    private double lowestBefore = Double.MAX_VALUE;
    private long periodBegan;

    void add(long nanos, long now) {
        average = count == 0 ? nanos : average + WEIGHT * (nanos - average);
        if (count < FEWEST) {
            count++;
            periodBegan = now;
            return;
        }
        if (now - periodBegan >= PERIOD) {
            lowestBefore = lowest;
            lowest = Double.MAX_VALUE;
            periodBegan = now;
        }
        lowest = Math.min(lowest, average);
    }

    double slowness() {
        var quiet = Math.min(lowest, lowestBefore);
        return count < FEWEST || quiet == Double.MAX_VALUE ? 1 : average / Math.max(quiet, LEAST);
    }
}
