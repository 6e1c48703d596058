package io.taskexec.worker.pressure;

import java.time.Duration;

/**
 * A moving average that forgets by half-lives (EWMA): one collection of garbage or one slow statement is not pressure,
 * the same for some seconds is.
 */
final class Smoothing {
    /** A jump to 1 is 0.6 after about 4 s, 0.8 after 7 s and 1 after 23 s. */
    static final Duration HALF_LIFE = Duration.ofSeconds(3);

    private double value;
    private long at;

    /** It begins with no pressure, so that the start of a process is not taken for one. */
    Smoothing(long now) {
        this.at = now;
    }

    /** Takes a value into account and returns the average. */
    double next(double now, long nanoTime) {
        var kept = Math.pow(0.5, (nanoTime - at) / (double) HALF_LIFE.toNanos());
        at = nanoTime;
        value = kept * value + (1 - kept) * now;
        return value;
    }
}
