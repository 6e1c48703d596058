package io.taskexec.worker.breaker;

import io.taskexec.model.ProgramClock;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.endpoint.BreakerStore.Active;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The breakers of all endpoints as this process has seen them last; read again once a second while there is work. */
final class SeenBreakers {
    static final Duration MAX_AGE = Duration.ofSeconds(1);

    /** For so long after it has closed a breaker is still seen, since its receiver gets few calls at first. */
    static final Duration SLOW_START = Duration.ofSeconds(10);

    private static final Logger LOG = Logger.getLogger(SeenBreakers.class);

    /**
     * The age at which the state that a process has seen is read again, since acting on an old one costs executions.
     */
    private static final Duration STATE_MAX_AGE = Duration.ofSeconds(10);

    private final BreakerStore store;
    private final BreakerConfig config;
    private Map<String, Seen> seen = Map.of();
    private long refreshedAt = System.nanoTime() - MAX_AGE.toNanos();
    private long seenAt = System.nanoTime() - STATE_MAX_AGE.toNanos() - 1;
    private @Nullable CompletableFuture<?> looking;

    SeenBreakers(BreakerStore store, BreakerConfig config) {
        this.store = store;
        this.config = config;
    }

    /** A shared breaker as it was at a moment of the monotonic clock. */
    record Seen(Breaker.State state, long changedAt, long retryAt) {
        static Seen of(Active active, long now) {
            return new Seen(
                    active.state(),
                    now - active.age().toNanos(),
                    now + active.untilRetry().toNanos());
        }

        /** The latest moment at which it can have opened: a half-open one did so {@code open} before it changed. */
        long openedAt(Duration open) {
            return state == Breaker.State.HALF_OPEN ? changedAt - open.toNanos() : changedAt;
        }
    }

    /** The breaker of an endpoint; null when nothing is wrong with it. */
    synchronized @Nullable Seen of(String endpoint) {
        return seen.get(endpoint);
    }

    /** It is being disabled: what was claimed beside it waits at once, and not only when that has been written. */
    synchronized void disabled(String endpoint) {
        var now = ProgramClock.nanoTime();
        var more = new HashMap<>(seen);
        more.put(endpoint, new Seen(Breaker.State.DISABLED, now, now));
        seen = more;
    }

    /** Something has changed. */
    synchronized void lookAgain() {
        refreshedAt = System.nanoTime() - MAX_AGE.toNanos();
        refreshWhenOld();
    }

    /** Looks again when it is time to; returns the look that is under way when what was seen before says too little. */
    synchronized @Nullable CompletableFuture<?> decisiveLook(String endpoint) {
        refreshWhenOld();
        var age = System.nanoTime() - seenAt;
        var before = seen.get(endpoint);
        // Whether it is still disabled is only asked now and then.
        var wasDisabled = before != null && before.state() == Breaker.State.DISABLED;
        return age > (wasDisabled ? MAX_AGE : STATE_MAX_AGE).toNanos() ? looking : null;
    }

    private synchronized void refreshWhenOld() {
        var now = System.nanoTime();
        if (now - refreshedAt >= MAX_AGE.toNanos()) {
            refreshedAt = now;
            looking = store.active(SLOW_START)
                    .invoke(this::replace)
                    .onFailure()
                    .invoke(failure -> LOG.debug("breakers could not be looked at", failure))
                    .onFailure()
                    .recoverWithItem(List.of())
                    .subscribeAsCompletionStage();
        }
    }

    private synchronized void replace(List<Active> active) {
        var now = ProgramClock.nanoTime();
        var fresh = new HashMap<String, Seen>();
        active.stream().filter(this::counts).forEach(one -> fresh.put(one.endpoint(), Seen.of(one, now)));
        seen = fresh;
        seenAt = System.nanoTime();
    }

    /** Breakers may be off here; what is disabled is so everywhere. */
    private boolean counts(Active one) {
        return config.failurePercent() > 0 || one.state() == Breaker.State.DISABLED;
    }
}
