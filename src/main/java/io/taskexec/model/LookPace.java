package io.taskexec.model;

import java.time.Duration;

/**
 * Bounds what looks cost that pass over all that was executed since the oldest transaction of the server began: one
 * that stays open makes them slow. Times are of {@link System#nanoTime}. Any thread may use it.
 */
public final class LookPace {
    /** Pauses of so many looks leave a two-hundredth of the time to the looks, which the p99 of jobs does not show. */
    public static final int RARE = 200;

    /** The longest pause, whatever a look takes. Alerts wait for twice as long. */
    public static final Duration LONGEST = Duration.ofMinutes(5);

    private final long usual;
    private final int pausesPerLook;
    private boolean isPausing;
    private long pausesUntil;

    /**
     * @param usual the time between two looks of which none takes long
     * @param pausesPerLook how many times as long as a look the pause after it is, when that is more
     */
    public LookPace(Duration usual, int pausesPerLook) {
        this.usual = usual.toNanos();
        this.pausesPerLook = pausesPerLook;
    }

    /** Whether the pause after the last look is over. */
    public synchronized boolean isDue(long now) {
        return !isPausing || now - pausesUntil >= 0;
    }

    /** Tells that a look has ended, with or without success. */
    public synchronized void looked(long began, long now) {
        var pause = Math.min(LONGEST.toNanos(), pausesPerLook * (now - began));
        isPausing = pause > usual;
        pausesUntil = now + pause;
    }
}
