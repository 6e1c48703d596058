package io.taskexec.worker.breaker;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.job.Failure;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.endpoint.BreakerStore.Active;
import io.taskexec.worker.adaptive.AdaptiveLimits;
import io.taskexec.worker.breaker.EndpointAttempts.Probes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breakers of endpoints as this process sees them. It counts the attempts that it makes itself; the state
 * of a breaker is shared by all processes, which look at it once a second while they have work. Executions whose
 * endpoint's breaker is open, or is disabled, wait, and no attempt of theirs is used up.
 */
@Singleton
public final class Breakers {
    private static final Logger LOG = Logger.getLogger(Breakers.class);
    private static final Duration MAX_AGE = Duration.ofSeconds(1);

    /**
     * The age at which the state that a process has seen is read again, since acting on an old one costs executions.
     */
    private static final Duration STATE_MAX_AGE = Duration.ofSeconds(10);

    private static final Duration SLOW_START = Duration.ofSeconds(10);
    private static final Duration PROBE_PATIENCE = Duration.ofSeconds(60);
    private static final Duration PROBE_RECHECK = Duration.ofSeconds(5);
    private static final int PROBES = 3;

    /** From so many endpoints on those that are idle are forgotten: targets have one for each origin. */
    private static final int MANY = 1_000;

    /** Between the looks at what waits for a disabled endpoint, by how long it has been. */
    private static final Duration RECHECK_MIN = Duration.ofSeconds(5);

    private static final Duration RECHECK_MAX = Duration.ofMinutes(1);

    private final BreakerStore store;
    private final AdaptiveLimits limits;
    private final BreakerConfig config;
    private final Map<String, EndpointAttempts> attempts = new HashMap<>();
    private int tooMany = MANY;
    private Map<String, Seen> seen = Map.of();
    private long refreshedAt = System.nanoTime() - MAX_AGE.toNanos();
    private long seenAt = System.nanoTime() - STATE_MAX_AGE.toNanos() - 1;
    private @Nullable CompletableFuture<?> looking;

    public Breakers(BreakerStore store, AdaptiveLimits limits, BreakerConfig config) {
        this.store = store;
        this.limits = limits;
        this.config = config;
    }

    /** A shared breaker as it was at a moment of the monotonic clock. */
    private record Seen(Breaker.State state, long changedAt, long retryAt) {
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

    /** Whether an attempt may be made. */
    public sealed interface Admission {
        /** It may, from a moment of the monotonic clock on; as a probe where that is set. */
        record Admitted(EndpointAttempts of, @Nullable Probes probe, Claim claim, long at) implements Admission {}

        /** Not before it has a place of the limit of its endpoint. */
        record Park() implements Admission {}

        /** Not before this much time has passed. */
        record Wait(Duration delay) implements Admission {}
    }

    /** Decides about an attempt; one that is admitted must be told about by {@link #ended}. */
    public Uni<Admission> admit(Claim claim) {
        if (limits.mustWait(claim)) {
            return Uni.createFrom().item(new Admission.Park());
        }
        var look = decisiveLook(claim.endpoint());
        return look == null
                ? decide(claim)
                : Uni.createFrom().completionStage(() -> look.copy()).chain(() -> decide(claim));
    }

    private Uni<Admission> decide(Claim claim) {
        var now = ProgramClock.nanoTime();
        var breaker = seen(claim.endpoint());
        if (breaker == null) {
            return Uni.createFrom().item(admitted(attempts(claim), claim, null));
        }
        return switch (breaker.state()) {
            case CLOSED -> Uni.createFrom().item(slowly(claim, breaker, now));
            case OPEN, HALF_OPEN -> maybeProbe(claim, breaker, now);
            case DISABLED -> Uni.createFrom().item(wait(untilNextLook(now - breaker.changedAt())));
        };
    }

    private synchronized @Nullable Seen seen(String endpoint) {
        return seen.get(endpoint);
    }

    private synchronized EndpointAttempts attempts(Claim claim) {
        var found = attempts.get(claim.endpoint());
        if (found == null || found.version() < claim.endpointVersion()) {
            found = new EndpointAttempts(claim.endpoint(), claim.endpointVersion(), config);
            attempts.put(claim.endpoint(), found);
            if (attempts.size() > tooMany) {
                // So it costs no more than what has come since.
                tooMany = Math.max(MANY, 2 * forgetIdle(System.nanoTime()));
            }
        }
        found.use();
        return found;
    }

    /** Forgets the endpoints that are idle at a moment of the monotonic clock; returns how many are left. */
    synchronized int forgetIdle(long now) {
        attempts.values().removeIf(one -> one.isIdle(now));
        return attempts.size();
    }

    private Admission admitted(EndpointAttempts of, Claim claim, @Nullable Probes probe) {
        of.begin();
        limits.began(claim);
        return new Admission.Admitted(of, probe, claim, System.nanoTime());
    }

    /**
     * A receiver that has just recovered gets one call at a time, and twice as many with every second. Where keys have
     * limits of their own, each process sees to that.
     */
    private Admission slowly(Claim claim, Seen breaker, long now) {
        var age = Duration.ofNanos(now - breaker.changedAt());
        var limit = 1L << Math.min(age.toSeconds(), 30);
        var of = attempts(claim);
        return age.compareTo(SLOW_START) > 0 || limits.isLimited(claim) || of.running() < limit
                ? admitted(of, claim, null)
                : wait(Duration.ofMillis(500));
    }

    private Uni<Admission> maybeProbe(Claim claim, Seen breaker, long now) {
        var of = attempts(claim);
        var openedAt = breaker.openedAt(config.open());
        var probe = of.takeProbe(openedAt);
        if (probe != null) {
            return Uni.createFrom().item(admitted(of, claim, probe));
        }
        if (breaker.retryAt() - now > 0) {
            return Uni.createFrom().item(wait(untilNextLook(breaker, now)));
        }
        return store.probe(claim.endpoint(), PROBE_PATIENCE)
                .map(mine -> {
                    forgetSeen();
                    if (!mine) {
                        return wait(MAX_AGE);
                    }
                    LOG.infof("endpoint %s is probed", claim.endpoint());
                    of.grantProbes(PROBES, ProgramClock.nanoTime(), openedAt);
                    var first = of.takeProbe(openedAt);
                    return first == null ? wait(MAX_AGE) : admitted(of, claim, first);
                })
                .onFailure()
                .recoverWithItem(() -> wait(MAX_AGE));
    }

    /** A probe ends soon; the time until another process may probe is only for a prober that dies. */
    private static Duration untilNextLook(Seen breaker, long now) {
        var left = Duration.ofNanos(breaker.retryAt() - now);
        return breaker.state() == Breaker.State.HALF_OPEN && left.compareTo(PROBE_RECHECK) > 0 ? PROBE_RECHECK : left;
    }

    private static Duration untilNextLook(long disabledFor) {
        var quarter = Duration.ofNanos(disabledFor / 4);
        return quarter.compareTo(RECHECK_MIN) < 0
                ? RECHECK_MIN
                : quarter.compareTo(RECHECK_MAX) > 0 ? RECHECK_MAX : quarter;
    }

    /** Up to half as long again, so that those that wait do not all come at once. */
    private static Admission wait(Duration delay) {
        var jitter = 1 + ThreadLocalRandom.current().nextDouble() / 2;
        return new Admission.Wait(Duration.ofMillis(Math.max(100, (long) (delay.toMillis() * jitter))));
    }

    /** An attempt that was admitted has ended; {@code outcome} is null when nothing is known of it. */
    public void ended(Admission.Admitted admission, @Nullable Outcome outcome) {
        var of = admission.of();
        var version = admission.claim().endpointVersion();
        of.end();
        limits.ended(admission.claim(), admission.at(), outcome);
        if (outcome instanceof Outcome.PermanentFailure(var failure, var _, var _)
                && failure.isGone()
                // Of a target it is one URL that is gone, and not all of its origin.
                && admission.claim().options().target() == null
                // What was created for an older version says nothing of where the newest one leads.
                && version >= of.version()) {
            disable(of.endpoint(), version, failure.message());
        }
        var failed = (outcome == null || isAnsweredByLimit(admission, outcome)) ? null : hasFailed(outcome);
        var probe = admission.probe();
        if (failed == null) {
            if (probe != null) {
                of.giveBack(probe);
            }
        } else if (probe != null) {
            probed(of, probe, failed);
        } else if (of.add(failed, ProgramClock.nanoTime()) && seen(of.endpoint()) == null) {
            open(of, of.summary());
        }
    }

    private boolean isAnsweredByLimit(Admission.Admitted admission, Outcome outcome) {
        return admission.probe() == null && limits.answers(admission.claim(), outcome);
    }

    /** Whether the receiver failed; null when the outcome tells nothing about it. */
    private static @Nullable Boolean hasFailed(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Succeeded _, Outcome.Deferred _ -> false;
            // It has answered, which is what counts here.
            case Outcome.PermanentFailure(var failure, var _, var _) -> isAnswer(failure.type()) ? false : null;
            case Outcome.RetryableFailure(var failure, var _) -> isOurs(failure.type()) ? null : true;
            case Outcome.Interrupted _,
                    Outcome.Recorded _,
                    Outcome.LeaseLost _,
                    Outcome.StillDeferred _,
                    Outcome.Postponed _,
                    Outcome.Limited _,
                    Outcome.Expired _,
                    Outcome.Skipped _ -> null;
        };
    }

    private static boolean isAnswer(Failure.Type type) {
        return type == Failure.Type.HTTP_ERROR
                || type == Failure.Type.BROKER_ERROR
                || type == Failure.Type.STREAM_ERROR;
    }

    private static boolean isOurs(Failure.Type type) {
        return type == Failure.Type.INTERNAL_ERROR
                || type == Failure.Type.UNREADABLE
                || type == Failure.Type.INPUT_VALIDATION_FAILED;
    }

    private void probed(EndpointAttempts of, Probes probe, boolean failed) {
        if (failed) {
            // Only the first failed probe opens it: a later one may end when new probes run already.
            if (of.endProbes(probe)) {
                open(of, "a delivery that was tried failed");
            }
        } else if (of.isEnough(probe, PROBES)) {
            run(store.close(of.endpoint()).invoke(closed -> {
                of.clear();
                forgetSeen();
                if (closed) {
                    limits.recovered(of.endpoint());
                    LOG.infof("endpoint %s is well again: its breaker is closed", of.endpoint());
                }
            }));
        }
    }

    private void open(EndpointAttempts of, String reason) {
        run(store.open(of.endpoint(), config.open(), BreakerConfig.LONGEST, reason)
                .invoke(openFor -> {
                    of.clear();
                    forgetSeen();
                    if (openFor != null) {
                        LOG.warnf("endpoint %s fails: its breaker is open for %s, %s", of.endpoint(), openFor, reason);
                    }
                }));
    }

    private void disable(String endpoint, int version, String answer) {
        // What was claimed beside it waits at once, and not only when this has been written and read again.
        see(endpoint, new Seen(Breaker.State.DISABLED, ProgramClock.nanoTime(), ProgramClock.nanoTime()));
        run(store.disable(endpoint, version, "its receiver answered " + answer).invoke(disabled -> {
            forgetSeen();
            if (disabled) {
                LOG.warnf("endpoint %s is disabled: its receiver answered %s", endpoint, answer);
            }
        }));
    }

    private synchronized void see(String endpoint, Seen breaker) {
        var more = new HashMap<>(seen);
        more.put(endpoint, breaker);
        seen = more;
    }

    private synchronized void forgetSeen() {
        refreshedAt = System.nanoTime() - MAX_AGE.toNanos();
        refreshWhenOld();
    }

    /** Looks again when it is time to; returns the look that is under way when what was seen before says too little. */
    private synchronized @Nullable CompletableFuture<?> decisiveLook(String endpoint) {
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

    /** Breakers may be off here; what is disabled is so everywhere. */
    private boolean counts(Active one) {
        return config.failurePercent() > 0 || one.state() == Breaker.State.DISABLED;
    }

    private synchronized void replace(List<Active> active) {
        var now = ProgramClock.nanoTime();
        var fresh = new HashMap<String, Seen>();
        active.stream().filter(this::counts).forEach(one -> fresh.put(one.endpoint(), Seen.of(one, now)));
        seen = fresh;
        seenAt = System.nanoTime();
    }

    /** The next attempts repeat a read or write that fails. */
    private static void run(Uni<?> work) {
        var _ = work.subscribe().with(_ -> {}, failure -> LOG.debug("breakers could not be reached", failure));
    }
}
