package io.taskexec.worker.observe;

import io.micrometer.core.instrument.Timer;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.StreamEntry;
import io.taskexec.model.job.Failure;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.activity.ActivityCounts;
import jakarta.inject.Singleton;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Measures the seconds that calls take, by transport and outcome. An attempt that never came to a call has
 * no duration.
 */
@Singleton
public final class AttemptMetrics {
    private static final Set<Failure.Type> UNSENT =
            Set.of(Failure.Type.EGRESS_BLOCKED, Failure.Type.INVALID_CONFIGURATION);

    private final Meters meters;
    private final EndpointMetrics endpoints;
    private final RecentAttempts recent;
    private final ActivityCounts activity;
    private final Calls http = new Calls("http");
    private final Calls kafka = new Calls("kafka");
    private final Calls redisStream = new Calls("redis_stream");

    /** The outcome of a call. */
    enum Ending {
        SUCCESS,
        FAILED,
        DEFERRED,
        INTERRUPTED,
        LOST
    }

    public AttemptMetrics(Meters meters, EndpointMetrics endpoints, RecentAttempts recent, ActivityCounts activity) {
        this.activity = activity;
        this.recent = recent;
        this.meters = meters;
        this.endpoints = endpoints;
    }

    /** A call for an endpoint has ended, or was not made after all. */
    public void ended(String endpoint, DispatchRequest request, Outcome outcome, long nanos) {
        if (!isUnsent(outcome)) {
            var ending = ending(outcome);
            calls(request).timer(ending).record(nanos, TimeUnit.NANOSECONDS);
            endpoints.ended(endpoint, ending, nanos);
            if (ending == Ending.SUCCESS || ending == Ending.FAILED) {
                recent.ended(endpoint, ending == Ending.FAILED, nanos);
                activity.attempted(ending == Ending.FAILED, nanos);
            }
        }
    }

    /** Whether there was no call: it may not be made, or cannot. */
    private static boolean isUnsent(Outcome outcome) {
        return outcome instanceof Outcome.PermanentFailure(var failure, var _, var _)
                && UNSENT.contains(failure.type());
    }

    private Calls calls(DispatchRequest request) {
        return switch (request) {
            case HttpCall _ -> http;
            case KafkaMessage _ -> kafka;
            case StreamEntry _ -> redisStream;
        };
    }

    private static Ending ending(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Succeeded _ -> Ending.SUCCESS;
            case Outcome.RetryableFailure _,
                    Outcome.PermanentFailure _,
                    Outcome.StillDeferred _,
                    Outcome.Postponed _,
                    Outcome.Limited _,
                    Outcome.Expired _,
                    Outcome.Skipped _ -> Ending.FAILED;
            case Outcome.Deferred _ -> Ending.DEFERRED;
            case Outcome.Interrupted _ -> Ending.INTERRUPTED;
            case Outcome.Recorded _ -> Ending.SUCCESS;
            case Outcome.LeaseLost _ -> Ending.LOST;
        };
    }

    /** Those of one transport. Meters are made when they are needed first: most processes need few of them. */
    private final class Calls {
        private final String transport;
        private final Map<Ending, Timer> timers = new ConcurrentHashMap<>();

        Calls(String transport) {
            this.transport = transport;
        }

        Timer timer(Ending ending) {
            var timer = timers.get(ending);
            return timer == null ? timers.computeIfAbsent(ending, this::register) : timer;
        }

        private Timer register(Ending ending) {
            return meters.timer(
                    "taskexec.attempt.duration",
                    "Duration of calls",
                    "transport",
                    transport,
                    "outcome",
                    ending.name().toLowerCase(Locale.ROOT));
        }
    }
}
