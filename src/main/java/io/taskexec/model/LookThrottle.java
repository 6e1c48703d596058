package io.taskexec.model;

import java.time.Duration;

/**
 * Bounds what looks cost that pass over all that was executed since the oldest transaction of the server began: one
 * that stays open makes them slow. Times are of {@link System#nanoTime}. Any thread may use it.
 */
public final class LookThrottle {
    /** Pauses of so many looks leave a two-hundredth of the time to the looks, which the p99 of jobs does not show. */
    public static final int RARE = 200;

    /** The longest pause, whatever a look takes. The alert for invariants that are not looked at waits for two. */
    public static final Duration LONGEST = Duration.ofMinutes(5);

    /** The same after a look that has failed, such as in an outage: others wait for what it would have told. */
    public static final Duration LONGEST_OF_FAILED = Duration.ofMinutes(1);

    private final long usual;
    private final int pausesPerLook;
    private boolean isPausing;
    private long pausesUntil;

    /**
     * @param usual the time between two looks of which none takes long
     * @param pausesPerLook how many times as long as a look the pause after it is, when that is more
     */
    public LookThrottle(Duration usual, int pausesPerLook) {
        this.usual = usual.toNanos();
        this.pausesPerLook = pausesPerLook;
    }

    /** Whether the pause after the last look is over. */
    public synchronized boolean isDue(long now) {
        return !isPausing || now - pausesUntil >= 0;
    }

    /** Tells that a look has ended. */
    public void looked(long began, long now) {
        pause(began, now, LONGEST);
    }

    /** Tells that a look has failed. */
    public void failed(long began, long now) {
        pause(began, now, LONGEST_OF_FAILED);
    }

    private synchronized void pause(long began, long now, Duration longest) {
        var pause = Math.min(longest.toNanos(), pausesPerLook * (now - began));
        isPausing = pause > usual;
        pausesUntil = now + pause;
    }
}
