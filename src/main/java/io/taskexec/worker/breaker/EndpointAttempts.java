package io.taskexec.worker.breaker;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The attempts of one version of an endpoint in this process. */
final class EndpointAttempts {
    /** The attempts after which, when all have succeeded, a receiver is well again. */
    private static final int PROBES = 3;

    private static final int PERCENT = 100;
    private static final long IDLE = Duration.ofMinutes(1).toNanos();

    private final String endpoint;
    private final int version;
    private final BreakerConfig config;
    private AttemptWindow window;
    private int running;
    private @Nullable Probes probes;
    private @Nullable Long closedAt;
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

    /**
     * Begins to count anew unless it has done so since the breaker closed, as another process may have closed it.
     *
     * @param at a moment of the monotonic clock, always the same for one closing
     */
    synchronized void clearOnceClosed(Long at) {
        if (!at.equals(closedAt)) {
            closedAt = at;
            clear();
        }
    }

    /** The right of this process to make some attempts as probes, since the breaker opened last. */
    static final class Probes {
        private final Instant since;
        private long grantedAt;
        private int left;
        private int succeeded;

        private Probes(Instant since) {
            this.since = since;
        }

        /** Since when the breaker is half open, by the clock of the database. */
        Instant since() {
            return since;
        }
    }

    /**
     * From now on some attempts may be made as probes. Those that still run under a right that has not ended count.
     *
     * @param now a moment of the monotonic clock
     * @param since when the breaker is half open, by the clock of the database: another time once it has opened again
     */
    synchronized void grantProbes(long now, Instant since) {
        if (probes == null || !probes.since.equals(since)) {
            probes = new Probes(since);
        }
        probes.grantedAt = now;
        probes.left = PROBES;
    }

    /**
     * Takes one of the probes that may be made; returns null when there is none. What is left of a right ends when the
     * breaker opens again, which another process may have done.
     *
     * @param openedAt the latest moment at which the breaker can have opened
     */
    synchronized @Nullable Probes takeProbe(long openedAt) {
        if (probes == null || probes.grantedAt - openedAt < 0 || probes.left == 0) {
            return null;
        }
        probes.left--;
        return probes;
    }

    /** A probe has told nothing: another may be made for it. */
    synchronized void giveBack(Probes probe) {
        probe.left++;
    }

    /** Ends the right to which a probe belongs; returns whether it had not ended. */
    synchronized boolean endProbes(Probes probe) {
        var isCurrent = probes == probe;
        probes = isCurrent ? null : probes;
        return isCurrent;
    }

    /** Counts a probe that succeeded. If there are enough now, ends their right and returns true. */
    synchronized boolean isEnough(Probes probe) {
        probe.succeeded++;
        return probe.succeeded >= PROBES && endProbes(probe);
    }
}
