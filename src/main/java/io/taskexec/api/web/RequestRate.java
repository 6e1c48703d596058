package io.taskexec.api.web;

/** A token bucket that holds one second's worth. */
public final class RequestRate {
    private static final double NANOS_PER_SEC = 1e9;

    private final int perSec;
    private double tokens;
    private long filledAt;
    private boolean filled;

    /** @param perSec 0 for no limit */
    public RequestRate(int perSec) {
        this.perSec = perSec;
        this.tokens = perSec;
    }

    /** Takes one token at {@code now}, of {@link System#nanoTime}; false when there is none. */
    public synchronized boolean take(long now) {
        if (perSec == 0) {
            return true;
        }
        if (filled) {
            tokens = Math.min(perSec, tokens + (now - filledAt) / NANOS_PER_SEC * perSec);
        }
        filled = true;
        filledAt = now;
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }
}
