package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.taskexec.model.Uuid7;
import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.TickId;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.store.job.LedgerStore.Expected;
import io.taskexec.store.job.LedgerStore.Extent;
import io.taskexec.store.job.LedgerStore.Filter;
import io.taskexec.store.job.LedgerStore.Late;
import io.taskexec.store.job.ZoneRulesStore;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the rows that policies, pauses and backfills leave in the database. */
class SchedulePoliciesTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    private static final ScheduleBed bed = new ScheduleBed();

    /** The last tick of each hour. The next one is half an hour away, so that none comes while a test runs. */
    private final Instant hour = Instant.now().minus(Duration.ofMinutes(30)).truncatedTo(ChronoUnit.MINUTES);

    private ScheduleBed.Spec hourly() {
        return bed.cron(hour.atOffset(ZoneOffset.UTC).getMinute() + " * * * *", "UTC");
    }

    private Instant hoursAgo(int hours) {
        return hour.minus(HOUR.multipliedBy(hours));
    }

    @Test
    void afterThreeDaysEachModeOfCatchingUpLeavesALineForEveryTick() {
        var all = hourly().catchUp(CatchUp.Mode.ALL).due(hoursAgo(72));
        var some = hourly().catchUp(new CatchUp(CatchUp.Mode.ALL, 5, null)).due(hoursAgo(72));
        var latest = hourly().catchUp(CatchUp.Mode.LATEST).due(hoursAgo(72));
        var none = hourly().catchUp(CatchUp.Mode.NONE).due(hoursAgo(72));
        var quick = bed.every(Duration.ofSeconds(10))
                .catchUp(new CatchUp(CatchUp.Mode.ALL, 100, null))
                .startsAt(hoursAgo(72))
                .due(hoursAgo(72));

        bed.runUntilNothingIsDue();

        assertThat(bed.count(all, "FIRED")).isEqualTo(73);
        assertThat(bed.count(some, "FIRED")).isEqualTo(5);
        assertThat(bed.count(some, "MISSED")).isEqualTo(68);
        assertThat(bed.count(latest, "FIRED")).isEqualTo(1);
        assertThat(bed.count(latest, "COLLAPSED")).isEqualTo(72);
        assertThat(bed.count(none, "FIRED")).isLessThanOrEqualTo(1);
        assertThat(bed.count(none, "MISSED")).isGreaterThanOrEqualTo(72);
        // One more or less, because time goes on while the ticks are written down.
        assertThat(bed.live(quick)).hasSizeBetween(95, 105).doesNotHaveDuplicates();
        assertThat(bed.outcomes(quick)).hasSizeBetween(72 * 360 + 1, 73 * 360 + 30);
    }

    @Test
    void aBufferedTickFiresOnceTheExecutionsBeforeItHaveEnded() {
        var job = hourly().overlap(Overlap.BUFFER_ONE).due(hoursAgo(2));

        bed.runUntilNothingIsDue();
        assertThat(bed.live(job)).containsExactly(hoursAgo(2));
        assertThat(bed.outcomes(job)).containsExactly("FIRED", "SKIPPED_OVERLAP");
        assertThat(bed.releaseBuffered()).isEqualTo(Duration.ofMillis(100));
        assertThat(bed.live(job)).hasSize(1);

        bed.endExecutions(job);
        assertThat(bed.releaseBuffered()).isEqualTo(Duration.ofMillis(100));
        assertThat(bed.releaseBuffered()).isEqualTo(Duration.ofSeconds(10));

        assertThat(bed.live(job)).containsExactly(hoursAgo(1));
        assertThat(bed.outcomes(job)).containsExactly("FIRED", "FIRED", "SKIPPED_OVERLAP");
    }

    @Test
    void aBufferedTickThatCannotFireSetsItsScheduleAsideAndTheOthersFire() {
        var broken = hourly().overlap(Overlap.BUFFER_ONE).due(hoursAgo(1));
        var sound = hourly().overlap(Overlap.BUFFER_ONE).due(hoursAgo(1));
        bed.runUntilNothingIsDue();
        bed.endExecutions(broken);
        bed.endExecutions(sound);
        var _ = bed.db.execute("UPDATE schedules SET buffered_tick = 'infinity' WHERE job_id = $1", broken);

        assertThat(bed.releaseBuffered()).isEqualTo(Duration.ofMillis(100));
        assertThat(bed.releaseBuffered()).isEqualTo(Duration.ofSeconds(10));

        assertThat(bed.live(sound)).containsExactly(hour);
        assertThat(bed.live(broken)).isEmpty();
        var row = bed.db.row("SELECT set_aside_reason, next_run_at FROM schedules WHERE job_id = $1", broken);
        assertThat(row.getString("set_aside_reason")).isNotBlank();
        assertThat(row.getOffsetDateTime("next_run_at")).isNull();
    }

    @Test
    void aTickThatIsBufferedWhenItsScheduleIsCancelledDoesNotFire() {
        var job = hourly().overlap(Overlap.BUFFER_ONE).due(hoursAgo(1));
        bed.runUntilNothingIsDue();

        assertThat(await(bed.cancelling.retire(job))).isTrue();
        bed.endExecutions(job);
        var _ = bed.releaseBuffered();

        assertThat(bed.live(job)).isEmpty();
        assertThat(bed.outcomes(job)).containsExactly("FIRED", "SKIPPED_OVERLAP");
    }

    @Test
    void theExecutionsOfTheVersionBeforeAreInTheWayToo() {
        var old = hourly().overlap(Overlap.SKIP).due(hour);
        bed.runUntilNothingIsDue();
        var id = Uuid7.next();
        var _ = await(
                bed.store.replace(old, id, _ -> hourly().overlap(Overlap.SKIP).as(id, hoursAgo(1))));

        bed.runUntilNothingIsDue();

        assertThat(bed.live(old)).hasSize(1);
        assertThat(bed.live(id)).isEmpty();
        assertThat(bed.outcomes(id)).isNotEmpty().containsOnly("SKIPPED_OVERLAP");
    }

    @Test
    void aPauseHoldsForTicksThatAreLookedAtAfterItsEnd() {
        var job = hourly().due(hoursAgo(4));
        var _ = bed.db.execute(
                "INSERT INTO pauses SELECT job_id, next_run_at + interval '1 hour', next_run_at + interval '3 hours',"
                        + " 'x'"
                        + " FROM schedules");

        bed.runUntilNothingIsDue();

        assertThat(bed.outcomes(job)).containsExactly("FIRED", "SKIPPED_PAUSED", "SKIPPED_PAUSED", "FIRED", "FIRED");
    }

    @Test
    void aScheduleIsPausedAndResumedAndItsNewVersionIsPausedToo() {
        var job = bed.every(Duration.ofSeconds(1)).due(Instant.now().plusSeconds(1));
        assertThat(await(bed.control.pause(job, null, "maintenance"))).isTrue();
        assertThat(await(bed.control.pause(job, Instant.now().plusSeconds(60), "longer")))
                .isTrue();
        var id = Uuid7.next();
        var _ = await(bed.store.replace(
                job,
                id,
                _ -> bed.every(Duration.ofSeconds(1)).as(id, Instant.now().plusSeconds(1))));

        assertThat(await(bed.control.resume(job))).isFalse();
        assertThat(bed.db.number("SELECT count(*) FROM pauses WHERE until > now() + interval '50 seconds'"))
                .isEqualTo(1);
        assertThat(await(bed.control.resume(id))).isTrue();
        assertThat(bed.db.number("SELECT count(*) FROM pauses WHERE until IS NULL OR until > now()"))
                .isZero();
    }

    @Test
    void aFireOutOfTurnLeavesTheScheduleAsItIs() {
        var job = hourly().due(hour.plus(HOUR));
        assertThat(await(bed.control.fire(job, Uuid7.next()))).isTrue();

        assertThat(bed.live(job)).hasSize(1);
        assertThat(bed.nextRunAt(job)).isEqualTo(hour.plus(HOUR));
        assertThat(bed.outcomes(job)).isEmpty();

        assertThat(await(bed.cancelling.retire(job))).isTrue();
        assertThat(await(bed.control.fire(job, Uuid7.next()))).isFalse();
    }

    @Test
    void aBackfillFiresWhatHasNotFiredAndNothingTwice() {
        var job = hourly().catchUp(new CatchUp(CatchUp.Mode.ALL, 2, null)).due(hoursAgo(5));
        bed.runUntilNothingIsDue();
        assertThat(bed.outcomes(job)).containsExactly("MISSED", "MISSED", "MISSED", "MISSED", "FIRED", "FIRED");
        var ticks = new ArrayList<Late>();
        for (var i = 8; i >= 0; i--) {
            ticks.add(new Late(hoursAgo(i), TickId.of(job, hoursAgo(i))));
        }

        assertThat(await(bed.ledger.backfill(job, ticks))).isEqualTo(7);
        assertThat(await(bed.ledger.backfill(job, ticks))).isZero();

        assertThat(bed.live(job)).hasSize(9).doesNotHaveDuplicates();
        assertThat(bed.outcomes(job)).hasSize(9).containsOnly("FIRED");
    }

    @Test
    void theLedgerIsReadInPagesByTimeAndOutcome() {
        var job = hourly().catchUp(new CatchUp(CatchUp.Mode.ALL, 2, null)).due(hoursAgo(5));
        bed.runUntilNothingIsDue();

        var seen = new ArrayList<Instant>();
        @Nullable Instant before = null;
        do {
            var page = await(bed.ledger.list(job, new Filter(null, null, null), 4, before));
            page.items().forEach(tick -> seen.add(tick.scheduledAt()));
            before = page.next();
        } while (before != null);

        assertThat(seen).hasSize(6).isSortedAccordingTo((a, b) -> b.compareTo(a));
        var part = await(bed.ledger.list(job, new Filter(hoursAgo(4), hoursAgo(2), null), 10, null));
        assertThat(part.items()).hasSize(2);
        assertThat(part.items().getFirst().lateness()).isBetween(HOUR, HOUR.multipliedBy(5));
    }

    @Test
    void oldTicksAreRemovedAndNoLongerExpected() {
        var job = hourly().startsAt(hoursAgo(31 * 24)).due(hoursAgo(31 * 24));
        var _ = bed.db.execute("UPDATE jobs SET created_at = now() - interval '40 days'");
        bed.runUntilNothingIsDue();
        assertThat(bed.outcomes(job)).hasSize(31 * 24 + 1);
        // As if each had been decided about at its time.
        var _ = bed.db.execute("UPDATE ticks SET lateness_ms = 0 WHERE job_id = $1", job);

        var retention = new LedgerRetention(bed.db.database(), bed.ledger, new TestConfig(30));
        assertThat(await(retention.runOnce())).isEqualTo(HOUR);

        assertThat(bed.outcomes(job)).hasSizeBetween(30 * 24, 30 * 24 + 1);
        Extent extent = Objects.requireNonNull(await(bed.ledger.extent(job)));
        assertThat(extent.from()).isCloseTo(Instant.now().minus(Duration.ofDays(30)), within(1, ChronoUnit.MINUTES));
        var forgotten = new Expected(job, hoursAgo(30 * 24));
        assertThat(await(bed.ledger.missing(List.of(forgotten)))).isEmpty();
    }

    @Test
    void aScheduleWithManyOldTicksIsCleanedInSmallBatches() {
        var many = hourly().due(hour.plus(HOUR));
        var _ = bed.db.execute("""
                INSERT INTO ticks (job_id, scheduled_at, outcome, lateness_ms)
                SELECT $1, now() - interval '31 days' - i * interval '1 minute', 'MISSED', 0
                FROM generate_series(1, $2) AS i
                """, many, 2 * RemovalPace.BATCH + 1);
        var _ = bed.db.execute("""
                INSERT INTO job_stats
                SELECT $1, now() - i * interval '31 days', 'SUCCESS', 1, 1, 1 FROM generate_series(0, 1) AS i
                """, many);
        var retention = new LedgerRetention(bed.db.database(), bed.ledger, new TestConfig(30));

        assertThat(await(retention.runOnce())).isLessThan(HOUR);
        assertThat(bed.db.number("SELECT count(*) FROM ticks WHERE job_id = $1", many))
                .isEqualTo(RemovalPace.BATCH + 1);
        assertThat(await(retention.runOnce())).isLessThan(HOUR);
        assertThat(await(retention.runOnce())).isEqualTo(HOUR);
        assertThat(bed.db.number("SELECT count(*) FROM ticks WHERE job_id = $1", many))
                .isZero();
        assertThat(bed.db.number("SELECT count(*) FROM job_stats WHERE job_id = $1", many))
                .isEqualTo(1);
    }

    @Test
    void whenTheRulesOfTimeZonesChangeNextTicksAreComputedAnewAndThoseThatAreDueStay() {
        var wrong = hourly().due(hour.plus(HOUR).plusSeconds(1800));
        var right = hourly().due(hour.plus(HOUR));
        var due = hourly().due(hoursAgo(1).plusSeconds(7));
        var broken = bed.cron("no cron", "UTC").due(hour.plus(HOUR));
        var damaged = hourly().due(hour.plus(HOUR));
        var _ = bed.db.execute("UPDATE schedules SET dst_gap = 'JUMP' WHERE job_id = $1", damaged);
        var rules = new ZoneRules(new ZoneRulesStore(bed.db.database()), "2026z");

        assertThat(await(rules.runOnce())).isZero();
        assertThat(await(rules.runOnce())).isEqualTo(HOUR);

        assertThat(List.of(wrong, right, broken, damaged))
                .allSatisfy((UUID job) -> assertThat(bed.nextRunAt(job)).isEqualTo(hour.plus(HOUR)));
        assertThat(bed.nextRunAt(due)).isEqualTo(hoursAgo(1).plusSeconds(7));
        assertThat(bed.db.number("SELECT count(*) FROM schedules WHERE tz_rules = '2026z'"))
                .isEqualTo(5);
    }

    @Test
    void aTickThatNewRulesOfTimeZonesMoveToTheEndOfItsScheduleDoesNotFireAndTheScheduleEnds() {
        var end = hour.plus(HOUR);
        var job = hourly().endsAt(end).due(end.minusMillis(1));
        var _ = bed.db.execute("UPDATE schedules SET tz_rules = '2026a' WHERE job_id = $1", job);
        var older = new ZoneRules(new ZoneRulesStore(bed.db.database()), "2025z");
        var rules = new ZoneRules(new ZoneRulesStore(bed.db.database()), "2026z");

        assertThat(await(older.runOnce())).isZero();
        assertThat(await(older.runOnce())).isEqualTo(HOUR);
        assertThat(bed.nextRunAt(job)).isEqualTo(end.minusMillis(1));
        assertThat(await(rules.runOnce())).isZero();
        assertThat(await(rules.runOnce())).isEqualTo(HOUR);

        assertThat(bed.nextRunAt(job)).isNull();
        assertThat(bed.db.number("""
                SELECT count(*) FROM schedules s JOIN jobs j ON j.job_id = s.job_id
                WHERE s.ended_at <= now() AND j.retired_at IS NOT NULL
                """)).isEqualTo(1);
        assertThat(await(bed.control.pause(job, null, null))).isFalse();
    }

    @Test
    void aScheduleThatIsSetAsideWhileNewRulesOfTimeZonesEndItIsNotRetired() {
        var end = hour.plus(HOUR);
        var job = hourly().endsAt(end).due(end.minusMillis(1));
        var store = new ZoneRulesStore(bed.db.database());
        await(bed.tickStore.setAside(job, end.minusMillis(1), "broken"));

        await(store.update(List.of(new ZoneRulesStore.Moved(job, end.minusMillis(1), null, null)), "2026z"));

        assertThat(bed.db.number("SELECT count(*) FROM jobs WHERE retired_at IS NULL"))
                .isEqualTo(1);
    }

    @Test
    void aTickThatTheClockSkipsBeforeTheFirstOneHasALineToo() {
        var skip = new DstPolicy(DstPolicy.Gap.SKIP, DstPolicy.Overlap.FIRST);
        var next = Instant.parse("2025-03-31T00:30:00Z");
        var job = bed.cron("30 2 * * *", "Europe/Berlin", skip)
                .endsAt(next.plusMillis(1))
                .due(next);
        var later = bed.cron("30 2 * * *", "Europe/Berlin", skip)
                .endsAt(next.plusMillis(1))
                .startsAt(Instant.parse("2025-03-30T12:00:00Z"))
                .due(next);
        var _ = bed.db.execute("UPDATE jobs SET created_at = '2025-03-29T12:00:00Z'");

        bed.runUntilNothingIsDue();

        assertThat(bed.outcomes(job)).containsExactly("SUPPRESSED_DST", "FIRED");
        assertThat(bed.outcomes(later)).containsExactly("FIRED");
    }

    @Test
    void aScheduleThatIsMovedOnSaysByWhichRulesOfTimeZones() {
        var job = hourly().due(hour);

        bed.runUntilNothingIsDue();

        assertThat(bed.db
                        .row("SELECT tz_rules FROM schedules WHERE job_id = $1", job)
                        .getString(0))
                .isEqualTo(CronSchedule.timeZoneRules());
    }

    @Test
    void theNewestTickBeforeAPauseFiresForThoseThatAreLate() {
        var job = hourly().catchUp(CatchUp.Mode.LATEST).due(hoursAgo(4));
        var _ = bed.db.execute(
                "INSERT INTO pauses SELECT job_id, next_run_at + interval '2 hours', NULL, 'x'" + " FROM schedules");

        bed.runUntilNothingIsDue();

        assertThat(bed.live(job)).containsExactly(hoursAgo(3));
        assertThat(bed.outcomes(job).subList(0, 4))
                .containsExactly("COLLAPSED", "FIRED", "SKIPPED_PAUSED", "SKIPPED_PAUSED");
    }
}
