package io.taskexec.scheduler;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.store.history.HistoryDays;
import io.taskexec.store.history.HistoryDays.Partitions;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.stream.Stream;

/**
 * Makes the partitions of history before their days begin. A day that has begun without one stays so: what ends on it
 * belongs to no day, and a partition that is attached meanwhile would make the statement fail.
 */
@Singleton
final class DaysAhead implements SchedulerDuty {
    private static final int DAYS = 7;
    /** Clocks of other processes may be ahead of this one's. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(30);

    private static final Duration BETWEEN_ROUNDS = Duration.ofHours(1);
    private static final Duration UNTIL_NEXT_TRY = Duration.ofMinutes(1);

    private final HistoryDays days;

    DaysAhead(HistoryDays days) {
        this.days = days;
    }

    @Override
    public String name() {
        return "partitioning history";
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.OF_DAY;
    }

    @Override
    public Uni<Duration> runOnce() {
        return days.partitions()
                .chain(there -> Multi.createFrom()
                        .items(() -> missing(there))
                        .onItem()
                        .transformToUniAndConcatenate(days::make)
                        .collect()
                        .asList())
                .map(made -> made.contains(false) ? UNTIL_NEXT_TRY : BETWEEN_ROUNDS);
    }

    private static Stream<LocalDate> missing(Partitions there) {
        var next = LocalDate.ofInstant(ProgramClock.now().plus(CLOCK_SKEW), ZoneOffset.UTC)
                .plusDays(1);
        return there.areThere() ? next.datesUntil(next.plusDays(DAYS)).filter(day -> !there.have(day)) : Stream.empty();
    }
}
