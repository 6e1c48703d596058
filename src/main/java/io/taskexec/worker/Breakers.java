package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Breaker;
import io.taskexec.model.Claim;
import io.taskexec.model.Failure;
import io.taskexec.model.Outcome;
import io.taskexec.store.BreakerStore;
import io.taskexec.store.BreakerStore.Active;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breakers of endpoints as this process sees them. It counts the attempts that it makes itself; the state of
 * a breaker is shared by all processes, which look at it once a second while they have work. Executions whose endpoint's
 * breaker is open wait, and no attempt of theirs is used up.
 */
@Singleton
final class Breakers {
    private static final Logger LOG = Logger.getLogger(Breakers.class);
    private static final Duration MAX_AGE = Duration.ofSeconds(1);
    private static final Duration SLOW_START = Duration.ofSeconds(10);
    private static final Duration PROBE_PATIENCE = Duration.ofSeconds(60);
    private static final Duration WHILE_PROBED = Duration.ofSeconds(5);
    private static final int PROBES = 3;

    private final BreakerStore store;
    private final BreakerConfig config;
    private final Map<String, EndpointAttempts> attempts = new HashMap<>();
    private Map<String, Seen> seen = Map.of();
    private long refreshedAt = System.nanoTime() - MAX_AGE.toNanos();

    Breakers(BreakerStore store, BreakerConfig config) {
        this.store = store;
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
    }

    /** Whether an attempt may be made. */
    sealed interface Admission {
        /** It may. */
        record Admitted(EndpointAttempts of, boolean probe) implements Admission {}

        /** Not before this much time has passed. */
        record Wait(Duration delay) implements Admission {}
    }

    /** Decides about an attempt; one that is admitted must be told about by {@link #ended}. */
    Uni<Admission> admit(Claim claim) {
        if (config.failurePercent() == 0) {
            return Uni.createFrom().item(admitted(claim, false));
        }
        refreshWhenOld();
        var now = System.nanoTime();
        var breaker = seen(claim.endpoint());
        return switch (breaker == null ? Breaker.State.CLOSED : breaker.state()) {
            case CLOSED ->
                Uni.createFrom().item(breaker == null ? admitted(claim, false) : slowly(claim, breaker, now));
            case OPEN, HALF_OPEN -> maybeProbe(claim, breaker, now);
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
        }
        return found;
    }

    private Admission admitted(Claim claim, boolean probe) {
        var of = attempts(claim);
        of.begin();
        return new Admission.Admitted(of, probe);
    }

    /** A receiver that has just recovered gets one call at a time, and twice as many with every second. */
    private Admission slowly(Claim claim, Seen breaker, long now) {
        var age = Duration.ofNanos(now - breaker.changedAt());
        var limit = 1L << Math.min(age.toSeconds(), 30);
        return age.compareTo(SLOW_START) > 0 || attempts(claim).running() < limit
                ? admitted(claim, false)
                : wait(Duration.ofMillis(500));
    }

    private Uni<Admission> maybeProbe(Claim claim, @Nullable Seen breaker, long now) {
        var of = attempts(claim);
        if (of.takeProbe()) {
            return Uni.createFrom().item(admitted(claim, true));
        }
        if (breaker == null || breaker.retryAt() - now > 0) {
            return Uni.createFrom().item(wait(breaker == null ? MAX_AGE : untilNextLook(breaker, now)));
        }
        return store.probe(claim.endpoint(), PROBE_PATIENCE)
                .map(mine -> {
                    forgetSeen();
                    if (!mine) {
                        return wait(MAX_AGE);
                    }
                    LOG.infof("endpoint %s is probed", claim.endpoint());
                    of.grantProbes(PROBES);
                    return of.takeProbe() ? admitted(claim, true) : wait(MAX_AGE);
                })
                .onFailure()
                .recoverWithItem(() -> wait(MAX_AGE));
    }

    /** Probes soon tell how it goes on; the time until somebody else may probe is only for a prober that dies. */
    private static Duration untilNextLook(Seen breaker, long now) {
        var left = Duration.ofNanos(breaker.retryAt() - now);
        return breaker.state() == Breaker.State.HALF_OPEN && left.compareTo(WHILE_PROBED) > 0 ? WHILE_PROBED : left;
    }

    /** Up to half as long again, so that those that wait do not all come at once. */
    private static Admission wait(Duration delay) {
        var jitter = 1 + ThreadLocalRandom.current().nextDouble() / 2;
        return new Admission.Wait(Duration.ofMillis(Math.max(100, (long) (delay.toMillis() * jitter))));
    }

    /** An attempt that was admitted has ended; {@code outcome} is null when nothing is known of it. */
    void ended(Admission.Admitted admission, @Nullable Outcome outcome) {
        var of = admission.of();
        of.end();
        var failed = outcome == null ? null : hasFailed(outcome);
        if (failed == null) {
            if (admission.probe()) {
                of.giveBackProbe();
            }
        } else if (admission.probe()) {
            probed(of, failed);
        } else if (of.add(failed, System.nanoTime()) && seen(of.endpoint()) == null) {
            open(of, of.summary());
        }
    }

    /** Whether the receiver is in trouble; null when the outcome says nothing of it. */
    private static @Nullable Boolean hasFailed(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Succeeded _ -> false;
            // It has answered, which is what counts here.
            case Outcome.FailedForGood(var failure) -> isAnswer(failure.type()) ? false : null;
            case Outcome.FailedForNow(var failure, var _) -> isOurs(failure.type()) ? null : true;
            case Outcome.Interrupted _, Outcome.LeaseLost _, Outcome.Deferred _ -> null;
        };
    }

    private static boolean isAnswer(Failure.Type type) {
        return type == Failure.Type.HTTP_ERROR || type == Failure.Type.BROKER_ERROR;
    }

    private static boolean isOurs(Failure.Type type) {
        return type == Failure.Type.INTERNAL_ERROR || type == Failure.Type.UNREADABLE;
    }

    private void probed(EndpointAttempts of, boolean failed) {
        if (failed) {
            of.grantProbes(0);
            open(of, "a delivery that was tried failed");
        } else if (of.probeSucceeded(PROBES)) {
            run(store.close(of.endpoint()).invoke(closed -> {
                of.clear();
                forgetSeen();
                LOG.infof("endpoint %s is well again: its breaker is closed", of.endpoint());
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

    private synchronized void forgetSeen() {
        refreshedAt = System.nanoTime() - MAX_AGE.toNanos();
        refreshWhenOld();
    }

    private synchronized void refreshWhenOld() {
        var now = System.nanoTime();
        if (now - refreshedAt >= MAX_AGE.toNanos()) {
            refreshedAt = now;
            run(store.active(SLOW_START).invoke(active -> {
                var fresh = new HashMap<String, Seen>();
                active.forEach(one -> fresh.put(one.endpoint(), Seen.of(one, System.nanoTime())));
                replace(fresh);
            }));
        }
    }

    private synchronized void replace(Map<String, Seen> fresh) {
        seen = fresh;
    }

    /** What cannot be asked or written now will be with the next attempts. */
    private static void run(Uni<?> work) {
        var _ = work.subscribe().with(_ -> {}, failure -> LOG.debug("breakers could not be reached", failure));
    }
}
