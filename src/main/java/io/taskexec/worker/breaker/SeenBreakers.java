package io.taskexec.worker.breaker;

import io.taskexec.model.ProgramClock;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.endpoint.BreakerStore.Active;
import java.time.Duration;
import java.time.Instant;
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

    /** Longer than an attempt lasts: none that began before a closing ends after it is forgotten. */
    private static final long REMEMBERED = Duration.ofHours(2).toNanos();

    private final BreakerStore store;
    private final BreakerConfig config;
    private final Map<String, Closing> closings = new HashMap<>();
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
                    // The clock of the database may have gone back since.
                    now - Math.max(0, active.age().toNanos()),
                    now + active.untilRetry().toNanos());
        }

        /** The latest moment at which it can have opened: a half-open one did so {@code open} before it changed. */
        long openedAt(Duration open) {
            return state == Breaker.State.HALF_OPEN ? changedAt - open.toNanos() : changedAt;
        }

        boolean isOpen() {
            return state == Breaker.State.OPEN || state == Breaker.State.HALF_OPEN;
        }
    }

    /**
     * A breaker has closed.
     *
     * @param changedAt when, by the clock of the database; null when it was only seen that it is not open any more
     * @param at the latest moment of the monotonic clock at which it can have been
     */
    private record Closing(@Nullable Instant changedAt, long at) {}

    /** The breaker of an endpoint; null when nothing is wrong with it. */
    synchronized @Nullable Seen of(String endpoint) {
        return seen.get(endpoint);
    }

    /**
     * When the breaker of an endpoint closed last, as the latest moment at which it can have been: always the same for
     * one closing. Null when it has not closed of late.
     */
    synchronized @Nullable Long closedAt(String endpoint) {
        var closing = closings.get(endpoint);
        return closing == null ? null : closing.at();
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
                    .invoke(active -> replace(active, now))
                    .onFailure()
                    .invoke(failure -> LOG.debug("breakers could not be looked at", failure))
                    .onFailure()
                    .recoverWithItem(List.of())
                    .subscribeAsCompletionStage();
        }
    }

    /**
     * Takes the answer to a look, unless that to a later one has come before.
     *
     * @param askedAt before the look, by {@link System#nanoTime}
     */
    synchronized void replace(List<Active> active, long askedAt) {
        if (askedAt - seenAt < 0) {
            return;
        }
        var now = ProgramClock.nanoTime();
        var fresh = new HashMap<String, Seen>();
        active.stream().filter(this::counts).forEach(one -> fresh.put(one.endpoint(), Seen.of(one, now)));
        noteClosings(active, fresh, now);
        seen = fresh;
        seenAt = askedAt;
    }

    private void noteClosings(List<Active> active, Map<String, Seen> fresh, long now) {
        for (var one : active) {
            var latest = fresh.get(one.endpoint());
            var known = closings.get(one.endpoint());
            if (latest != null
                    && latest.state() == Breaker.State.CLOSED
                    && (known == null || !one.changedAt().equals(known.changedAt()))) {
                closings.put(one.endpoint(), new Closing(one.changedAt(), latest.changedAt()));
            }
        }
        // It has closed between two looks that were far apart.
        seen.forEach((endpoint, before) -> {
            if (before.isOpen() && !fresh.containsKey(endpoint)) {
                closings.put(endpoint, new Closing(null, now));
            }
        });
        closings.values().removeIf(closing -> now - closing.at() > REMEMBERED);
    }

    /** Breakers may be off here; what is disabled is so everywhere. */
    private boolean counts(Active one) {
        return config.failurePercent() > 0 || one.state() == Breaker.State.DISABLED;
    }
}
