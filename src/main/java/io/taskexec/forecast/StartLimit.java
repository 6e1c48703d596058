package io.taskexec.forecast;

import io.taskexec.store.forecast.StartLimits.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A limit of starts. How many may begin in a minute is what the minute adds and what quiet minutes have saved up.
 *
 * @param perMinute starts in the long run, of a cap by the mean duration of executions; absent when that is not known
 * @param burst starts that may be saved up: the burst of a rate, the places of a cap
 */
@Schema(name = "ForecastLimit")
public record StartLimit(Kind kind, @Nullable Double perMinute, int burst) {
    private static final double MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    /** Sums of parts are not exact. */
    private static final double ERROR = 1e-6;

    /** The setting that limits starts. */
    @Schema(name = "ForecastLimitKind")
    public enum Kind {
        RATE,
        MAX_CONCURRENCY,
        /** A cap that was found out from the answers of a receiver. */
        ADAPTIVE_LIMIT
    }

    /** A minute with more starts than its capacity. */
    record Excess(int minute, double expected, double capacity) {}

    static StartLimit of(Rate rate) {
        return new StartLimit(Kind.RATE, MINUTE_NANOS / rate.spacing().toNanos(), rate.burst());
    }

    /** @param meanMs the mean duration of an execution; null when it is not known */
    static StartLimit cap(Kind kind, int places, @Nullable Double meanMs) {
        return new StartLimit(kind, meanMs == null ? null : places * Horizon.MINUTE_MS / Math.max(1, meanMs), places);
    }

    /** The minutes over the limit. What is too much in one is not added to the next. */
    List<Excess> excess(double[] expected) {
        var found = new ArrayList<Excess>();
        if (perMinute == null) {
            return found;
        }
        double saved = burst;
        for (var minute = 0; minute < expected.length; minute++) {
            var capacity = saved + perMinute;
            var began = expected[minute];
            if (began > capacity + ERROR) {
                found.add(new Excess(minute, began, capacity));
                began = Math.floor(capacity + ERROR);
            }
            saved = Math.clamp(capacity - began, 0, burst);
        }
        return found;
    }
}
