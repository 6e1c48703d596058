package io.taskexec.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.Pause;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.Timetable;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.job.TickStore.Advance;
import io.taskexec.store.job.TickStore.Decision;
import io.taskexec.store.job.TickStore.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TickPlanTest {
    private static final Instant START = Instant.parse("2026-03-02T00:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    private Timetable timetable = new Timetable.Every(HOUR);
    private @Nullable Instant endsAt;
    private @Nullable Integer maxFires;
    private CatchUp catchUp = CatchUp.ALL;
    private Overlap overlap = Overlap.ALLOW;
    private Duration jitter = Duration.ZERO;
    private Instant decidedUntil = START.minusMillis(1);
    private boolean active;
    private boolean buffered;
    private final List<Pause> pauses = new ArrayList<>();

    private Advance plan(Instant next, Instant now, int limit) {
        var policy = new SchedulePolicy(START, endsAt, maxFires, catchUp, overlap, jitter);
        var id = new UUID(1, 2);
        var due = new Due(id, id, timetable, policy, next, decidedUntil, null, 0, active, buffered, pauses, now);
        return TickPlan.of(due, Schedules.of(timetable, START, 0), limit);
    }

    /** After all schedulers were down from {@code next} on. */
    private Advance plan(Instant next, Instant now) {
        return plan(next, now, 100_000);
    }

    private static List<String> outcomes(Advance advance) {
        return advance.ticks().stream().map(tick -> tick.outcome().name()).toList();
    }

    private static long count(Advance advance, String outcome) {
        return outcomes(advance).stream().filter(outcome::equals).count();
    }

    @Test
    void aTickInTimeFiresAndTheNextOneIsComputedFromIt() {
        var plan = plan(START, START.plusMillis(20));

        assertThat(outcomes(plan)).containsExactly("FIRED");
        assertThat(plan.next()).isEqualTo(START.plus(HOUR));
        assertThat(plan.last()).isEqualTo(START);
    }

    @Test
    void afterThreeDaysAllTicksFireUnlessTheyAreTooMany() {
        assertThat(outcomes(plan(START, START.plus(Duration.ofDays(3)))))
                .hasSize(73)
                .containsOnly("FIRED");

        catchUp = new CatchUp(CatchUp.Mode.ALL, 10, null);
        var plan = plan(START, START.plus(Duration.ofDays(3)));

        assertThat(outcomes(plan).subList(0, 63)).containsOnly("MISSED");
        assertThat(outcomes(plan).subList(63, 73)).containsOnly("FIRED");
        assertThat(plan.next()).isEqualTo(START.plus(HOUR.multipliedBy(73)));
    }

    @Test
    void afterThreeDaysOnlyTicksWithinTheWindowFire() {
        catchUp = new CatchUp(CatchUp.Mode.ALL, 1000, Duration.ofHours(24));
        var plan = plan(START, START.plus(Duration.ofDays(3)));

        assertThat(count(plan, "MISSED")).isEqualTo(48);
        assertThat(count(plan, "FIRED")).isEqualTo(25);
        assertThat(outcomes(plan).subList(48, 73)).containsOnly("FIRED");
    }

    @Test
    void afterThreeDaysTheLatestTickFiresForAll() {
        catchUp = new CatchUp(CatchUp.Mode.LATEST, 1000, null);
        var plan = plan(START, START.plus(Duration.ofDays(3)).plusSeconds(1));

        assertThat(count(plan, "COLLAPSED")).isEqualTo(72);
        assertThat(outcomes(plan)).last().isEqualTo("FIRED");
    }

    @Test
    void ofTheTicksThatWereMissedBeforeTheEndTheNewestFire() {
        endsAt = START.plus(Duration.ofDays(1));
        catchUp = new CatchUp(CatchUp.Mode.ALL, 10, null);

        var plan = plan(START, START.plus(Duration.ofDays(3)));

        assertThat(outcomes(plan).subList(0, 14)).containsOnly("MISSED");
        assertThat(outcomes(plan).subList(14, 24)).containsOnly("FIRED");
    }

    @Test
    void theLatestTickOutsideOfPausesFiresForThoseBeforeIt() {
        catchUp = new CatchUp(CatchUp.Mode.LATEST, 1000, null);
        pauses.add(new Pause(START.plus(HOUR), START.plus(HOUR.multipliedBy(2)), null));
        pauses.add(new Pause(START.plus(HOUR.multipliedBy(3)), START.plus(HOUR.multipliedBy(5)), null));
        pauses.add(new Pause(START.plus(HOUR.multipliedBy(4)), null, null));

        assertThat(outcomes(plan(START, START.plus(HOUR.multipliedBy(6)))))
                .containsExactly(
                        "COLLAPSED",
                        "SKIPPED_PAUSED",
                        "FIRED",
                        "SKIPPED_PAUSED",
                        "SKIPPED_PAUSED",
                        "SKIPPED_PAUSED",
                        "SKIPPED_PAUSED");

        pauses.add(new Pause(START, null, null));
        assertThat(outcomes(plan(START, START.plus(HOUR.multipliedBy(6))))).containsOnly("SKIPPED_PAUSED");
    }

    @Test
    void afterThreeDaysNoTickFiresThatIsLateByMoreThanAMinute() {
        catchUp = new CatchUp(CatchUp.Mode.NONE, 1000, null);

        assertThat(outcomes(plan(START, START.plus(Duration.ofDays(3)).plusSeconds(61))))
                .hasSize(73)
                .containsOnly("MISSED");
        assertThat(outcomes(plan(START, START.plus(Duration.ofDays(3)).plusSeconds(59))))
                .last()
                .isEqualTo("FIRED");
    }

    @Test
    void theLimitOfOnePlanChangesNothingButItsLength() {
        catchUp = new CatchUp(CatchUp.Mode.ALL, 10, null);
        var now = START.plus(Duration.ofDays(3));
        var outcomes = new ArrayList<String>();
        @Nullable Instant next = START;
        while (next != null && !next.isAfter(now)) {
            var plan = plan(next, now, 7);
            outcomes.addAll(outcomes(plan));
            next = plan.next();
        }

        assertThat(outcomes).isEqualTo(outcomes(plan(START, now)));
    }

    @Test
    void theNewestTicksOfACronExpressionAreFoundWithoutGoingThroughYears() {
        timetable = new Timetable.Cron("*/7 8-17 * * MON-FRI", "Europe/Berlin", DstPolicy.DEFAULT);
        catchUp = new CatchUp(CatchUp.Mode.ALL, 3, null);
        var now = START.plus(Duration.ofDays(3 * 366));
        var first = Instant.parse("2026-03-02T07:00:00Z");

        var schedule = Schedules.of(timetable, START, 0);
        var newest = Backlog.newest(schedule, first, now, 3);

        assertThat(schedule.between(newest.minusNanos(1), now, 10)).hasSize(3);
        assertThat(outcomes(plan(first, now, 5))).containsOnly("MISSED");
    }

    @Test
    void ticksWithinAPauseAreSkippedAndItsEdgesBelongToItsStart() {
        pauses.add(new Pause(START.plus(HOUR), START.plus(HOUR.multipliedBy(3)), "maintenance"));
        var plan = plan(START, START.plus(HOUR.multipliedBy(4)));

        assertThat(outcomes(plan)).containsExactly("FIRED", "SKIPPED_PAUSED", "SKIPPED_PAUSED", "FIRED", "FIRED");
    }

    @Test
    void aPauseForGoodSkipsAllTicksAfterItBegan() {
        pauses.add(new Pause(START.plus(HOUR), null, null));

        assertThat(outcomes(plan(START, START.plus(HOUR.multipliedBy(3)))))
                .containsExactly("FIRED", "SKIPPED_PAUSED", "SKIPPED_PAUSED", "SKIPPED_PAUSED");
    }

    @Test
    void whileAnExecutionRunsTicksAreSkippedWhenTheyAreNotToOverlap() {
        overlap = Overlap.SKIP;
        active = true;
        assertThat(outcomes(plan(START, START))).containsExactly("SKIPPED_OVERLAP");

        active = false;
        assertThat(outcomes(plan(START, START.plus(HOUR)))).containsExactly("FIRED", "SKIPPED_OVERLAP");
    }

    @Test
    void whileAnExecutionRunsOneTickIsBufferedAndTheNextOnesAreSkipped() {
        overlap = Overlap.BUFFER_ONE;
        active = true;
        var plan = plan(START, START.plus(HOUR));

        assertThat(plan.buffered()).isEqualTo(START);
        assertThat(outcomes(plan)).containsExactly("SKIPPED_OVERLAP");

        buffered = true;
        active = false;
        var next = plan(START, START.plus(HOUR));
        assertThat(next.buffered()).isNull();
        assertThat(outcomes(next)).containsExactly("SKIPPED_OVERLAP", "SKIPPED_OVERLAP");
    }

    @Test
    void theScheduleEndsWithItsLastFireAndSkippedTicksDoNotCount() {
        maxFires = 2;
        pauses.add(new Pause(START, START.plus(HOUR), null));
        var plan = plan(START, START.plus(HOUR.multipliedBy(9)));

        assertThat(outcomes(plan)).containsExactly("SKIPPED_PAUSED", "FIRED", "FIRED");
        assertThat(plan.next()).isNull();
    }

    @Test
    void theEndBelongsToTheScheduleNoMore() {
        endsAt = START.plus(HOUR.multipliedBy(2));
        var plan = plan(START, START.plus(HOUR.multipliedBy(9)));

        assertThat(plan.ticks()).extracting(Decision::at).containsExactly(START, START.plus(HOUR));
        assertThat(plan.next()).isNull();

        endsAt = START.plus(HOUR.multipliedBy(2)).plusMillis(1);
        assertThat(plan(START, START.plus(HOUR.multipliedBy(9))).ticks()).hasSize(3);
    }

    @Test
    void theTwentyNinthOfFebruaryComesInLeapYearsOnly() {
        timetable = new Timetable.Cron("0 0 29 2 *", "UTC", DstPolicy.DEFAULT);
        var first = Instant.parse("2096-02-29T00:00:00Z");

        assertThat(plan(first, first).next()).isEqualTo(Instant.parse("2104-02-29T00:00:00Z"));
        endsAt = Instant.parse("2104-02-29T00:00:00Z");
        assertThat(plan(first, first).next()).isNull();
    }

    @Test
    void aTickThatTheClockSkipsIsSuppressedWhenThePolicySaysSo() {
        timetable = new Timetable.Cron(
                "30 2 * * *", "Europe/Berlin", new DstPolicy(DstPolicy.Gap.SKIP, DstPolicy.Overlap.FIRST));
        decidedUntil = Instant.parse("2026-03-28T01:30:00Z");
        var next = Instant.parse("2026-03-30T00:30:00Z");

        var plan = plan(next, next);

        assertThat(plan.ticks()).extracting(Decision::at).containsExactly(Instant.parse("2026-03-29T01:00:00Z"), next);
        assertThat(outcomes(plan)).containsExactly("SUPPRESSED_DST", "FIRED");
    }

    @Test
    void theSecondPassOfARepeatedTimeIsSuppressed() {
        timetable = new Timetable.Cron("30 2 * * *", "Europe/Berlin", DstPolicy.DEFAULT);
        decidedUntil = Instant.parse("2026-10-25T00:30:00Z");
        var next = Instant.parse("2026-10-26T01:30:00Z");

        var plan = plan(next, next);

        assertThat(plan.ticks()).extracting(Decision::at).containsExactly(Instant.parse("2026-10-25T01:30:00Z"), next);
        assertThat(outcomes(plan)).containsExactly("SUPPRESSED_DST", "FIRED");
    }

    @Test
    void jitterIsWithinItsBoundAndTheSameForTheSameTick() {
        jitter = Duration.ofSeconds(30);
        var plan = plan(START, START.plus(Duration.ofDays(20)));

        assertThat(plan.ticks())
                .extracting(Decision::jitter)
                .allMatch(delay -> !delay.isNegative() && delay.compareTo(jitter) <= 0)
                .isEqualTo(plan(START, START.plus(Duration.ofDays(20))).ticks().stream()
                        .map(Decision::jitter)
                        .toList())
                .satisfies(
                        delays -> assertThat(delays.stream().distinct().count()).isGreaterThan(400));
    }
}
