package io.taskexec.forecast;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.taskexec.forecast.StartForecast.Known;
import io.taskexec.store.forecast.DelayedStarts;
import io.taskexec.store.forecast.DelayedStarts.Counted;
import io.taskexec.store.forecast.PastStarts;
import io.taskexec.store.forecast.PastStarts.Past;
import io.taskexec.store.forecast.StartLimits;
import io.taskexec.store.job.PlannedSchedules;
import io.taskexec.store.job.ScheduleStore;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads what forecasts need, in six statements, each bounded, one after the other or for a page two at a time, and
 * computes them away from the event loops.
 */
@Singleton
public final class Forecasts {
    /** Schedules of one forecast. */
    private static final int MOST_SCHEDULES = 20_000;

    private final ScheduleStore clock;
    private final PlannedSchedules schedules;
    private final DelayedStarts delayed;
    private final PastStarts past;
    private final StartLimits limits;

    Forecasts(
            ScheduleStore clock,
            PlannedSchedules schedules,
            DelayedStarts delayed,
            PastStarts past,
            StartLimits limits) {
        this.clock = clock;
        this.schedules = schedules;
        this.delayed = delayed;
        this.past = past;
        this.limits = limits;
    }

    /**
     * Forecasts the next hours.
     *
     * @param endpoint null for all, and for the limits of queues
     * @param most endpoints that are shown
     */
    public Uni<Forecast> of(int hours, @Nullable String endpoint, int most) {
        return known(hours, 1, delayed::between, past::dayBefore)
                .map(known -> new StartForecast(known, hours, most).of(endpoint));
    }

    /**
     * A forecast for a page.
     *
     * @param isEstimate whether delayed starts were shared out among endpoints by a sample
     */
    public record Rough(Forecast forecast, boolean isEstimate) {}

    /** The same from less, for a page that is to be shown at once. */
    public Uni<Rough> roughly(int hours, @Nullable String endpoint, int most) {
        return known(hours, 2, delayed::estimate, past::estimate)
                .map(known -> new Rough(
                        new StartForecast(known, hours, most).of(endpoint),
                        known.delayed().isEstimate()));
    }

    private Uni<Known> known(
            int hours,
            int atOnce,
            BiFunction<Instant, Instant, Uni<Counted>> waiting,
            Function<Instant, Uni<List<Past>>> before) {
        return clock.now()
                .chain(now -> read(now, hours, atOnce, waiting, before))
                .emitOn(Infrastructure.getDefaultWorkerPool());
    }

    private Uni<Known> read(
            Instant now,
            int hours,
            int atOnce,
            BiFunction<Instant, Instant, Uni<Counted>> waiting,
            Function<Instant, Uni<List<Past>>> before) {
        var end = Horizon.of(now, hours).end();
        return Uni.combine()
                .all()
                .unis(
                        schedules.before(end, MOST_SCHEDULES + 1),
                        waiting.apply(now, end),
                        before.apply(now),
                        limits.endpoints(),
                        limits.queues())
                .usingConcurrencyOf(atOnce)
                .with((planned, later, day, endpoints, queues) -> new Known(
                        now,
                        planned.size() > MOST_SCHEDULES ? planned.subList(0, MOST_SCHEDULES) : planned,
                        planned.size() > MOST_SCHEDULES,
                        later,
                        day,
                        endpoints,
                        queues));
    }
}
