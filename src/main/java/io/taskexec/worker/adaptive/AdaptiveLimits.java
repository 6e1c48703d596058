package io.taskexec.worker.adaptive;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.CompositeException;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.flow.AdaptiveLimit;
import io.taskexec.model.job.Failure;
import io.taskexec.store.flow.AdaptiveLimitStore;
import io.taskexec.worker.adaptive.LimitRule.Change;
import io.taskexec.worker.adaptive.LimitRule.End;
import io.taskexec.worker.adaptive.LimitRule.Keep;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many executions of an endpoint run at once when its receiver refuses calls, and lets more and more of them
 * run while it does not. All workers share the limit: executions wait for a place of it as they do for one of a flow
 * key. An endpoint whose receiver refuses nothing has none.
 */
@Singleton
public final class AdaptiveLimits {
    private static final Logger LOG = Logger.getLogger(AdaptiveLimits.class);

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final Duration BETWEEN_STEPS = Duration.ofMillis(100);
    private static final Duration BETWEEN_LOOKS_WHEN_OFF = Duration.ofSeconds(30);

    /** So many refusals of a second, and so many in a hundred calls, begin a limit. */
    private static final int REFUSALS = 3;

    private static final int REFUSED_PERCENT = 5;
    private static final int PERCENT = 100;

    /** From so many endpoints on those that are idle are forgotten: targets have one for each origin. */
    private static final int MANY = 1_000;

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;

    private final AdaptiveLimitStore store;
    private final boolean isOn;
    private final Map<String, ReceiverLoad> loads = new ConcurrentHashMap<>();
    /** What cannot be limited need not be tried again with each refusal. */
    private final Cache<String, Boolean> begun =
            Caffeine.newBuilder().expireAfterWrite(BETWEEN_LOOKS).build();

    /** Endpoints that were not limited although they refused calls, as a new version of them may be. */
    private final Cache<String, Boolean> unlimited =
            Caffeine.newBuilder().expireAfterWrite(Duration.ofMinutes(1)).build();

    private final LongAdder calls = new LongAdder();
    private volatile Map<String, AdaptiveLimit> limits = Map.of();
    private long seenAt = System.nanoTime();
    private long callsSeen = -1;
    private int tooMany = MANY;

    public AdaptiveLimits(AdaptiveLimitStore store, AdaptiveConfig config) {
        this.store = store;
        this.isOn = config.enabled().isOn();
    }

    /** Whether an execution has to wait for a place of the limit of its endpoint, which it has not asked for yet. */
    public boolean mustWait(Claim claim) {
        return claim.flowId() == null && limits.containsKey(claim.endpoint());
    }

    /** Whether the endpoint of an execution is limited. */
    public boolean isLimited(Claim claim) {
        return limits.containsKey(claim.endpoint());
    }

    /** A call begins; it must be told about by {@link #ended}. */
    public void began(Claim claim) {
        if (isOn) {
            // At once, so that it is not forgotten in between.
            loads.compute(claim.endpoint(), (endpoint, found) -> {
                var load = found == null ? new ReceiverLoad(endpoint) : found;
                load.begin();
                return load;
            });
        }
    }

    /** Forgets the endpoints that are idle at a moment of the monotonic clock; returns how many are left. */
    int forgetIdle(long now) {
        for (var endpoint : loads.keySet()) {
            if (!limits.containsKey(endpoint)) {
                loads.computeIfPresent(endpoint, (_, load) -> load.isIdle(now) ? null : load);
            }
        }
        return loads.size();
    }

    private ReceiverLoad load(String endpoint) {
        return loads.computeIfAbsent(endpoint, ReceiverLoad::new);
    }

    /**
     * A call has ended.
     *
     * @param begunAt by {@link System#nanoTime}
     * @param outcome null when nothing is known of it
     */
    public void ended(Claim claim, long begunAt, @Nullable Outcome outcome) {
        if (!isOn) {
            return;
        }
        calls.increment();
        var load = load(claim.endpoint());
        var running = load.end();
        var isRefusal = outcome == null ? null : isRefusal(outcome);
        var flowId = claim.flowId();
        if (isRefusal == null || (flowId != null && !load.isOwn(flowId))) {
            return;
        }
        load.answered(begunAt, System.nanoTime(), isRefusal);
        if (isRefusal && !limits.containsKey(claim.endpoint())) {
            maybeBegin(claim.endpoint(), load, running, saysTooMany(outcome));
        }
    }

    /** Whether the receiver wants fewer calls; null when the outcome tells nothing about it. */
    private static @Nullable Boolean isRefusal(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Succeeded _ -> false;
            case Outcome.RetryableFailure(var failure, var retryAfter) ->
                switch (failure.type()) {
                    case TIMEOUT -> true;
                    case HTTP_ERROR -> retryAfter != null || hasStatus(failure, TOO_MANY_REQUESTS, UNAVAILABLE);
                    default -> null;
                };
            case Outcome.PermanentFailure(var failure, var _, var _) ->
                failure.type() == Failure.Type.HTTP_ERROR ? hasStatus(failure, TOO_MANY_REQUESTS) : null;
            default -> null;
        };
    }

    private static boolean hasStatus(Failure failure, Integer... some) {
        return List.of(some).contains(failure.statusCode());
    }

    /**
     * Whether fewer calls are the answer to an outcome, and an open breaker is not: the receiver says that it gets too
     * much, and fewer calls than one at a time are not possible. Where keys have limits of their own, or receivers
     * complete attempts later, fewer calls are never the answer.
     */
    public boolean answers(Claim claim, Outcome outcome) {
        var limit = limits.get(claim.endpoint());
        return isOn && saysTooMany(outcome) && (limit == null ? mayBegin(claim) : limit.limit() > 1);
    }

    private boolean mayBegin(Claim claim) {
        return claim.flowId() == null && unlimited.getIfPresent(claim.endpoint()) == null;
    }

    /** Whether the receiver says that it gets too much, and is not just away. */
    private static boolean saysTooMany(@Nullable Outcome outcome) {
        return outcome instanceof Outcome.RetryableFailure(var failure, var retryAfter)
                && failure.type() == Failure.Type.HTTP_ERROR
                && (hasStatus(failure, TOO_MANY_REQUESTS) || (hasStatus(failure, UNAVAILABLE) && retryAfter != null));
    }

    /** A receiver that answers no call at all is left to the breaker, unless it says why. */
    private void maybeBegin(String endpoint, ReceiverLoad load, int running, boolean isTold) {
        var answers = load.answers(System.nanoTime());
        if ((isTold || answers.refusedLately() < answers.lately())
                && answers.refusedLately() >= REFUSALS
                && answers.refusedLately() * PERCENT >= answers.lately() * REFUSED_PERCENT) {
            var limit = Math.max(1, running / 2);
            begin(
                    endpoint,
                    limit,
                    Math.max(2, running),
                    "its receiver refused %d of %d calls: %d run at once"
                            .formatted(answers.refusedLately(), answers.lately(), limit));
        }
    }

    /** The receiver has recovered: it gets one call at a time, and twice as many with every second. */
    public void recovered(String endpoint) {
        if (isOn) {
            begin(endpoint, 1, null, "its receiver has recovered: one call at a time, then twice as many each second");
        }
    }

    /** A beginning that fails is made up for by another refusal. */
    private void begin(String endpoint, int limit, @Nullable Integer ceiling, String reason) {
        if (begun.asMap().putIfAbsent(endpoint, true) != null) {
            return;
        }
        var _ = store.begin(endpoint, limit, ceiling, reason)
                .invoke(isNew -> {
                    if (isNew) {
                        LOG.infof("endpoint %s is limited: %s", endpoint, reason);
                    }
                })
                .chain(isNew -> lookAtAll().invoke(() -> noteUnlimited(endpoint, isNew)))
                .subscribe()
                .with(_ -> {}, failure -> LOG.debugf(failure, "endpoint %s could not be limited", endpoint));
    }

    private void noteUnlimited(String endpoint, boolean isNew) {
        if (!isNew && !limits.containsKey(endpoint)) {
            unlimited.put(endpoint, true);
        }
    }

    /** Looks at the limits that all workers share and changes them; returns when to do it again. */
    public Uni<Duration> look() {
        if (!isOn) {
            // In each look: another process may not be switched off yet, and begin one.
            return store.all().chain(this::endAll).replaceWith(BETWEEN_LOOKS_WHEN_OFF);
        }
        var now = calls.sum();
        var isIdle = now == callsSeen;
        callsSeen = now;
        if (loads.size() > tooMany) {
            // So it costs no more than what has come since.
            tooMany = Math.max(MANY, 2 * forgetIdle(System.nanoTime()));
        }
        if (isIdle && limits.isEmpty()) {
            return Uni.createFrom().item(BETWEEN_LOOKS);
        }
        return lookAtAll().chain(this::adapt).map(_ -> isIdle || limits.isEmpty() ? BETWEEN_LOOKS : BETWEEN_STEPS);
    }

    private Uni<List<AdaptiveLimit>> lookAtAll() {
        var askedAt = System.nanoTime();
        return store.all().invoke(found -> replace(found, askedAt));
    }

    /**
     * Takes the answer to a look, unless that to a later one has come before.
     *
     * @param askedAt before the look, by {@link System#nanoTime}
     */
    synchronized void replace(List<AdaptiveLimit> found, long askedAt) {
        if (askedAt - seenAt < 0) {
            return;
        }
        seenAt = askedAt;
        var before = limits;
        limits = found.stream().collect(Collectors.toUnmodifiableMap(AdaptiveLimit::endpoint, Function.identity()));
        found.stream()
                .filter(one -> {
                    var old = before.get(one.endpoint());
                    return old == null || old.changes() != one.changes();
                })
                .forEach(one -> load(one.endpoint()).restart(System.nanoTime()));
    }

    private Uni<Void> adapt(List<AdaptiveLimit> found) {
        return each(found, this::adapt);
    }

    /** What was limited before limits were switched off would stay so. */
    private Uni<Void> endAll(List<AdaptiveLimit> found) {
        return each(found, limit -> store.end(limit, "limits that adapt are switched off"));
    }

    private static Uni<Void> each(List<AdaptiveLimit> limits, Function<AdaptiveLimit, Uni<Boolean>> action) {
        var actions = limits.stream().map(action).toList();
        return actions.isEmpty()
                ? Uni.createFrom().voidItem()
                // Not at the first failure, at which the others would be given up.
                : Uni.join()
                        .all(actions)
                        .andCollectFailures()
                        .onFailure(CompositeException.class)
                        .transform(failure -> failure.getCauses().getFirst())
                        .replaceWithVoid();
    }

    private Uni<Boolean> adapt(AdaptiveLimit limit) {
        var decision = LimitRule.next(limit, load(limit.endpoint()).answers(System.nanoTime()));
        return switch (decision) {
            case Keep _ -> Uni.createFrom().item(false);
            case Change(var next, var ceiling, var refused) -> {
                LOG.debugf("endpoint %s: %d executions run at once, %d before", limit.endpoint(), next, limit.limit());
                yield store.change(limit, next, ceiling, refused)
                        .invoke(() -> load(limit.endpoint()).restart(System.nanoTime()));
            }
            case End _ ->
                store.end(limit, "its receiver takes what comes").invoke(ended -> {
                    if (ended) {
                        LOG.infof("endpoint %s is not limited any more", limit.endpoint());
                    }
                });
        };
    }
}
