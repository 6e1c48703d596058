package io.taskexec.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.Pause;
import io.taskexec.model.job.TickId;
import io.taskexec.model.job.Timetable;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.job.PlannedSchedules.Planned;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Compares the counts of schedules with those of somebody who goes from tick to tick. {@code -Dtaskexec.schedule.seed}
 * repeats the schedules of another run.
 */
class ScheduleStartsTest {
    private static final int CASES = 60;
    private static final long SEED = Long.getLong("taskexec.schedule.seed", System.nanoTime());

    /** Around the change of the clock in Berlin, so that days have 23 and 25 hours. */
    private static final List<Instant> NOWS = List.of(
            Instant.parse("2026-03-28T22:10:17.345678Z"),
            Instant.parse("2026-10-24T21:59:59.999Z"),
            Instant.parse("2026-07-01T00:00:00Z"));

    private static final List<String> MINUTES = List.of("0", "30", "*", "*/15", "H", "H/10", "5,7,9", "59");
    private static final List<String> HOURS = List.of("*", "2", "*/6", "0-5", "H", "1,2,3");
    private static final List<String> DAYS = List.of("* * *", "* * SUN", "29 * *", "* * MON-FRI");
    private static final List<String> ZONES =
            List.of("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe");

    private static <T> T any(Random random, List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static Planned random(Random random, Instant now) {
        Timetable timetable = random.nextInt(3) == 0
                ? new Timetable.Every(Duration.ofMillis(1_000 + random.nextInt(1 << (1 + random.nextInt(24)))))
                : new Timetable.Cron(
                        any(random, MINUTES) + " " + any(random, HOURS) + " " + any(random, DAYS),
                        any(random, ZONES),
                        new DstPolicy(
                                any(random, List.of(DstPolicy.Gap.values())),
                                any(random, List.of(DstPolicy.Overlap.values()))));
        var startsAt = now.plusMillis(random.nextInt(86_400_000) - 80_000_000).truncatedTo(ChronoUnit.MILLIS);
        var pauses = new ArrayList<Pause>();
        for (var from = now.minusSeconds(random.nextInt(7_200)); pauses.size() < random.nextInt(4); ) {
            var until = from.plusNanos(random.nextLong(7_200_000_000_000L));
            pauses.add(new Pause(from, random.nextInt(5) == 0 ? null : until, null));
            // The next one may begin before the end of this one.
            from = from.plusNanos(random.nextLong(10_000_000_000_000L));
        }
        return planned(
                timetable,
                startsAt,
                random.nextInt(3) == 0 ? now.plusSeconds(random.nextInt(200_000) - 1_000) : null,
                random.nextInt(3) == 0 ? (long) random.nextInt(100) : null,
                Duration.ZERO,
                pauses);
    }

    private static Planned planned(
            Timetable timetable,
            Instant startsAt,
            @Nullable Instant end,
            @Nullable Long firesLeft,
            Duration jitter,
            List<Pause> pauses) {
        var id = UUID.randomUUID();
        return new Planned(id, id, "mail", 0, timetable, startsAt, end, firesLeft, jitter, pauses);
    }

    private static double[] counted(Horizon horizon, ScheduleStarts starts, Planned planned) {
        var counts = new StartCounts(horizon.minutes());
        starts.add(planned, counts.into(counts.scheduled(), 0));
        return counts.scheduled();
    }

    private static double[] ticked(Horizon horizon, Planned planned) {
        var counts = new double[horizon.minutes()];
        var schedule = Schedules.of(planned.timetable(), planned.startsAt(), TickId.seed(planned.rootId()));
        var left = planned.firesLeft();
        var first = planned.startsAt().isAfter(horizon.now()) ? planned.startsAt() : horizon.now();
        for (var at = schedule.next(first.minusNanos(1));
                at != null && at.isBefore(horizon.end()) && (planned.end() == null || at.isBefore(planned.end()));
                at = schedule.next(at)) {
            var tick = at;
            if (planned.pauses().stream().noneMatch(pause -> pause.covers(tick)) && (left == null || left-- > 0)) {
                counts[(int) Duration.between(horizon.start(), at).toMinutes()]++;
            }
        }
        return counts;
    }

    @Test
    void countsAreThoseOfTheTicks() {
        System.out.printf("ScheduleStartsTest: -Dtaskexec.schedule.seed=%d%n", SEED);
        var random = new Random(SEED);
        var seen = 0.0;
        for (var now : NOWS) {
            var horizon = Horizon.of(now, 1 + random.nextInt(48));
            var starts = new ScheduleStarts(horizon);
            for (var i = 0; i < CASES; i++) {
                var planned = random(random, now);
                var expected = ticked(horizon, planned);
                assertThat(counted(horizon, starts, planned))
                        .as("%s of %s at %s", i, planned, now)
                        .isEqualTo(expected);
                seen += Arrays.stream(expected).sum();
            }
            assertThat(starts.isPart()).isFalse();
            assertThat(starts.expressions()).isLessThan(CASES);
        }
        assertThat(seen).isGreaterThan(CASES);
    }

    @Test
    void jitterSpreadsAStartEvenlyAndCutsItOffAtTheEnd() {
        var horizon = Horizon.of(NOWS.getLast(), 1);
        var starts = new ScheduleStarts(horizon);
        var hourly = new Timetable.Cron("10 * * * *", "UTC", DstPolicy.DEFAULT);
        var late = new Timetable.Cron("58 * * * *", "UTC", DstPolicy.DEFAULT);
        var start = horizon.start();

        var counts = counted(horizon, starts, planned(hourly, start, null, null, Duration.ofSeconds(90), List.of()));
        assertThat(counts[10]).isCloseTo(2 / 3.0, offset(1e-9));
        assertThat(counts[11]).isCloseTo(1 / 3.0, offset(1e-9));
        assertThat(counts[12]).isZero();
        counts = counted(horizon, starts, planned(late, start, null, null, Duration.ofHours(24), List.of()));
        assertThat(counts[59]).isCloseTo(1 / 1440.0, offset(1e-9));
        assertThat(Arrays.stream(counts).sum()).isCloseTo(2 / 1440.0, offset(1e-9));
        counts = counted(horizon, starts, planned(hourly, start, null, null, Duration.ofSeconds(10), List.of()));
        assertThat(counts[10]).isEqualTo(1);
        assertThat(Arrays.stream(counts).sum()).isEqualTo(1);
    }

    @Test
    void aScheduleThatCannotBeReadCountsNothing() {
        var horizon = Horizon.of(NOWS.getLast(), 1);
        var broken = new Timetable.Cron("nonsense", "UTC", DstPolicy.DEFAULT);

        assertThat(counted(
                        horizon,
                        new ScheduleStarts(horizon),
                        planned(broken, horizon.start(), null, null, Duration.ZERO, List.of())))
                .containsOnly(0);
    }
}
