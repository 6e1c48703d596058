package io.taskexec.forecast;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.taskexec.forecast.StartForecast.Known;
import io.taskexec.store.forecast.DelayedStarts;
import io.taskexec.store.forecast.PastStarts;
import io.taskexec.store.forecast.StartLimits;
import io.taskexec.store.job.PlannedSchedules;
import io.taskexec.store.job.ScheduleStore;
import jakarta.inject.Singleton;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Reads what forecasts need, in six statements one after the other, each bounded, and computes them away from the event
 * loops.
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
        return clock.now()
                .chain(now -> read(now, hours))
                .emitOn(Infrastructure.getDefaultWorkerPool())
                .map(known -> new StartForecast(known, hours, most).of(endpoint));
    }

    private Uni<Known> read(Instant now, int hours) {
        var end = Horizon.of(now, hours).end();
        return Uni.combine()
                .all()
                .unis(
                        schedules.before(end, MOST_SCHEDULES + 1),
                        delayed.between(now, end),
                        past.dayBefore(now),
                        limits.endpoints(),
                        limits.queues())
                .usingConcurrencyOf(1)
                .with((planned, waiting, day, endpoints, queues) -> new Known(
                        now,
                        planned.size() > MOST_SCHEDULES ? planned.subList(0, MOST_SCHEDULES) : planned,
                        planned.size() > MOST_SCHEDULES,
                        waiting,
                        day,
                        endpoints,
                        queues));
    }
}
