package io.taskexec.worker.breaker;

import java.time.Duration;

/** The attempts of one version of an endpoint in this process. */
final class EndpointAttempts {
    private static final int PERCENT = 100;
    private static final long IDLE = Duration.ofMinutes(1).toNanos();

    private final String endpoint;
    private final int version;
    private final BreakerConfig config;
    private AttemptWindow window;
    private int running;
    private int probesLeft;
    private int probesSucceeded;
    private long usedAt = System.nanoTime();

    EndpointAttempts(String endpoint, int version, BreakerConfig config) {
        this.endpoint = endpoint;
        this.version = version;
        this.config = config;
        this.window = window();
    }

    private AttemptWindow window() {
        return new AttemptWindow(Duration.ofSeconds(config.windowSec()));
    }

    String endpoint() {
        return endpoint;
    }

    int version() {
        return version;
    }

    synchronized void begin() {
        running++;
    }

    synchronized void end() {
        running--;
        usedAt = System.nanoTime();
    }

    /** It is looked at for an attempt, and so kept for a while. */
    synchronized void use() {
        usedAt = System.nanoTime();
    }

    /** Whether nothing would be lost with it: no attempt runs, and none has ended for longer than they count. */
    synchronized boolean isIdle(long now) {
        return running == 0
                && now - usedAt > Duration.ofSeconds(config.windowSec()).toNanos() + IDLE;
    }

    synchronized int running() {
        return running;
    }

    /** Adds an attempt that has ended; returns whether too many have failed. */
    synchronized boolean add(boolean failed, long now) {
        window.add(failed, now);
        if (!failed || config.failurePercent() == 0) {
            return false;
        }
        var attempts = window.attempts();
        return attempts >= config.minAttempts()
                && (long) window.failures() * PERCENT >= (long) attempts * config.failurePercent();
    }

    synchronized String summary() {
        return "%d of %d attempts failed within %d s"
                .formatted(window.failures(), window.attempts(), config.windowSec());
    }

    /** Begins to count anew. */
    synchronized void clear() {
        window = window();
    }

    /** From now on so many attempts may be made as probes. */
    synchronized void grantProbes(int count) {
        probesLeft = count;
        probesSucceeded = 0;
    }

    /** A probe has told nothing: another may be made for it. */
    synchronized void giveBackProbe() {
        probesLeft++;
    }

    synchronized boolean takeProbe() {
        if (probesLeft == 0) {
            return false;
        }
        probesLeft--;
        return true;
    }

    /** Counts a probe that succeeded; returns whether that were {@code enough}. */
    synchronized boolean probeSucceeded(int enough) {
        probesSucceeded++;
        return probesSucceeded >= enough;
    }
}
