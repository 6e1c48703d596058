package io.taskexec.worker.breaker;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.job.Failure;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.worker.adaptive.AdaptiveLimits;
import io.taskexec.worker.breaker.EndpointAttempts.Probes;
import io.taskexec.worker.breaker.SeenBreakers.Seen;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breakers of endpoints. This process counts the attempts that it makes itself; the state of a breaker is
 * shared by all processes. Executions whose endpoint's breaker is open, or is disabled, wait, and no attempt of theirs
 * is used up.
 */
@Singleton
public final class Breakers {
    private static final Logger LOG = Logger.getLogger(Breakers.class);
    private static final Duration PROBE_PATIENCE = Duration.ofSeconds(60);
    private static final Duration PROBE_RECHECK = Duration.ofSeconds(5);

    /** From so many endpoints on those that are idle are forgotten: targets have one for each origin. */
    private static final int MANY = 1_000;

    /** Between the looks at what waits for a disabled endpoint, by how long it has been. */
    private static final Duration RECHECK_MIN = Duration.ofSeconds(5);

    private static final Duration RECHECK_MAX = Duration.ofMinutes(1);

    private final BreakerStore store;
    private final AdaptiveLimits limits;
    private final BreakerConfig config;
    private final SeenBreakers seen;
    private final Map<String, EndpointAttempts> attempts = new HashMap<>();
    private int tooMany = MANY;

    public Breakers(BreakerStore store, AdaptiveLimits limits, BreakerConfig config) {
        this.store = store;
        this.limits = limits;
        this.config = config;
        this.seen = new SeenBreakers(store, config);
    }

    /** Whether an attempt may be made. */
    public sealed interface Admission {
        /**
         * It may; as a probe where that is set.
         *
         * @param at by {@link System#nanoTime}
         * @param programAt the same moment by {@link ProgramClock#nanoTime}
         */
        record Admitted(EndpointAttempts of, @Nullable Probes probe, Claim claim, long at, long programAt)
                implements Admission {}

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
        var look = seen.decisiveLook(claim.endpoint());
        return look == null
                ? decide(claim)
                : Uni.createFrom().completionStage(() -> look.copy()).chain(() -> decide(claim));
    }

    private Uni<Admission> decide(Claim claim) {
        var now = ProgramClock.nanoTime();
        var breaker = seen.of(claim.endpoint());
        if (breaker == null) {
            return Uni.createFrom().item(admitted(attempts(claim), claim, null));
        }
        return switch (breaker.state()) {
            case CLOSED -> Uni.createFrom().item(slowly(claim, breaker, now));
            case OPEN, HALF_OPEN -> maybeProbe(claim, breaker, now);
            case DISABLED -> Uni.createFrom().item(wait(untilNextLook(now - breaker.changedAt())));
        };
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
        return new Admission.Admitted(of, probe, claim, System.nanoTime(), ProgramClock.nanoTime());
    }

    /**
     * A receiver that has just recovered gets one call at a time, and twice as many with every second. Where keys have
     * limits of their own, each process sees to that.
     */
    private Admission slowly(Claim claim, Seen breaker, long now) {
        var age = Duration.ofNanos(now - breaker.changedAt());
        var limit = 1L << Math.min(age.toSeconds(), 30);
        var of = attempts(claim);
        return age.compareTo(SeenBreakers.SLOW_START) > 0 || limits.isLimited(claim) || of.running() < limit
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
                .map(since -> {
                    seen.lookAgain();
                    if (since == null) {
                        return wait(SeenBreakers.MAX_AGE);
                    }
                    LOG.infof("endpoint %s is probed", claim.endpoint());
                    of.grantProbes(ProgramClock.nanoTime(), since);
                    var first = of.takeProbe(openedAt);
                    return first == null ? wait(SeenBreakers.MAX_AGE) : admitted(of, claim, first);
                })
                .onFailure()
                .recoverWithItem(() -> wait(SeenBreakers.MAX_AGE));
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
        var closedAt = seen.closedAt(of.endpoint());
        if (closedAt != null) {
            of.clearOnceClosed(closedAt);
        }
        // Then it tells nothing of the receiver as it has been since the breaker closed.
        var isOld = closedAt != null && admission.programAt() - closedAt < 0;
        if (failed == null) {
            if (probe != null) {
                of.giveBack(probe);
            }
        } else if (probe != null) {
            probed(of, probe, failed, isOld);
        } else if (!isOld && of.add(failed, ProgramClock.nanoTime()) && isClosed(of.endpoint())) {
            open(of, of.summary());
        }
    }

    private boolean isClosed(String endpoint) {
        var breaker = seen.of(endpoint);
        return breaker == null || breaker.state() == Breaker.State.CLOSED;
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
                || type == Failure.Type.INVALID_CONFIGURATION
                || type == Failure.Type.UNREADABLE
                || type == Failure.Type.INPUT_VALIDATION_FAILED;
    }

    private void probed(EndpointAttempts of, Probes probe, boolean failed, boolean isOld) {
        if (failed) {
            // Only the first failed probe opens it: a later one may end when new probes run already.
            if (of.endProbes(probe) && !isOld) {
                open(of, "a delivery that was tried failed");
            }
        } else if (of.isEnough(probe)) {
            run(store.close(of.endpoint(), probe.since()).invoke(closed -> {
                of.clear();
                seen.lookAgain();
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
                    seen.lookAgain();
                    if (openFor != null) {
                        LOG.warnf("endpoint %s fails: its breaker is open for %s, %s", of.endpoint(), openFor, reason);
                    }
                }));
    }

    private void disable(String endpoint, int version, String answer) {
        seen.disabled(endpoint);
        run(store.disable(endpoint, version, "its receiver answered " + answer).invoke(disabled -> {
            seen.lookAgain();
            if (disabled) {
                LOG.warnf("endpoint %s is disabled: its receiver answered %s", endpoint, answer);
            }
        }));
    }

    /** The next attempts repeat a read or write that fails. */
    private static void run(Uni<?> work) {
        var _ = work.subscribe().with(_ -> {}, failure -> LOG.debug("breakers could not be reached", failure));
    }
}
