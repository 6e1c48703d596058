package io.taskexec.worker;

import io.micrometer.core.instrument.Timer;
import io.taskexec.metrics.Meters;
import io.taskexec.model.DispatchRequest;
import io.taskexec.model.EndpointType;
import io.taskexec.model.HttpCall;
import io.taskexec.model.KafkaMessage;
import io.taskexec.model.Outcome;
import io.taskexec.model.StreamEntry;
import jakarta.inject.Singleton;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * How many seconds calls take, by transport and by what became of them, as attempts say it. What never came to a call has
 * no duration.
 */
@Singleton
final class AttemptMetrics {
    private static final int OUTCOMES = Ending.values().length;

    private final Meters meters;

    /** Made when they are needed first: most processes need few of them. */
    private final AtomicReferenceArray<@Nullable Timer> timers =
            new AtomicReferenceArray<>(EndpointType.values().length * OUTCOMES);

    private enum Ending {
        SUCCESS,
        FAILED,
        INTERRUPTED,
        LOST
    }

    AttemptMetrics(Meters meters) {
        this.meters = meters;
    }

    /** A call has ended. */
    void ended(DispatchRequest request, Outcome outcome, long nanos) {
        var transport = transport(request);
        var ending = ending(outcome);
        var place = transport.ordinal() * OUTCOMES + ending.ordinal();
        var timer = timers.get(place);
        if (timer == null) {
            timer = timer(transport, ending);
            timers.set(place, timer);
        }
        timer.record(nanos, TimeUnit.NANOSECONDS);
    }

    private static EndpointType transport(DispatchRequest request) {
        return switch (request) {
            case HttpCall _ -> EndpointType.HTTP;
            case KafkaMessage _ -> EndpointType.KAFKA;
            case StreamEntry _ -> EndpointType.REDIS_STREAM;
        };
    }

    private static Ending ending(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Succeeded _ -> Ending.SUCCESS;
            case Outcome.FailedForNow _, Outcome.FailedForGood _, Outcome.Deferred _ -> Ending.FAILED;
            case Outcome.Interrupted _ -> Ending.INTERRUPTED;
            case Outcome.LeaseLost _ -> Ending.LOST;
        };
    }

    private Timer timer(EndpointType transport, Ending ending) {
        return meters.timer(
                "taskexec.attempt.duration",
                "Duration of calls",
                "transport",
                name(transport),
                "outcome",
                name(ending));
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
