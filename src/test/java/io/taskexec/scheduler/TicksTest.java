package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.model.Uuid7;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.job.BufferedTickStore;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.wakeup.DueSignal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TicksTest {
    @RegisterExtension
    private static final ScheduleBed bed = new ScheduleBed();

    private final Instant minute = Instant.now().truncatedTo(ChronoUnit.MINUTES);

    @Test
    void aTickThatIsDueBecomesOneExecutionAndALineOfTheLedger() {
        var job = bed.minutely().due(minute);

        bed.runUntilNothingIsDue();

        assertThat(bed.live(job)).first().isEqualTo(minute);
        assertThat(bed.nextRunAt(job)).isAfter(minute);
        assertThat(bed.db.number("SELECT count(*) FROM exec_live WHERE visible_at > now()"))
                .isZero();
        assertThat(bed.db.number("""
                        SELECT count(*) FROM ticks t JOIN exec_live l ON l.execution_id = t.execution_id
                        WHERE t.outcome = 'FIRED' AND t.scheduled_at = l.run_at AND t.lateness_ms BETWEEN 0 AND 180000
                        """)).isEqualTo(bed.live(job).size());
        assertThat(bed.db.number("SELECT fires FROM schedules WHERE job_id = $1", job))
                .isEqualTo(bed.live(job).size());
    }

    /** That of a scheduler that sleeps for a minute when nothing is due before. */
    private static Ticks patientDuty() {
        var metrics = new TickMetrics(Meters.of(new SimpleMeterRegistry()));
        var buffered = new BufferedTicks(new BufferedTickStore(bed.db.database(), new DueSignal()), metrics);
        return new Ticks(bed.tickStore, new TestConfig(30, 60), buffered, metrics, new DueSignal());
    }

    @Test
    void aTickThatIsNotDueDoesNotFireAndIsWaitedFor() {
        var job = bed.minutely().due(Instant.now().plusSeconds(30));

        var delay = await(patientDuty().runOnce());

        assertThat(bed.live(job)).isEmpty();
        assertThat(delay).isBetween(Duration.ofMillis(1), Duration.ofMillis(30_001));
    }

    @Test
    void anIntervalIsCountedFromItsStart() {
        var start = minute.minusSeconds(100);
        var job = bed.every(Duration.ofSeconds(30)).startsAt(start).due(start);

        bed.runUntilNothingIsDue();

        assertThat(bed.live(job))
                .startsWith(start, start.plusSeconds(30), start.plusSeconds(60), start.plusSeconds(90))
                .hasSizeBetween(4, 7);
    }

    @Test
    void ticksThatWereMissedAreMadeUpForOneByOne() {
        var job = bed.minutely().due(minute.minus(Duration.ofHours(4)));

        bed.runUntilNothingIsDue();

        var ticks = bed.live(job);
        assertThat(ticks).hasSizeBetween(241, 242).isSorted().doesNotHaveDuplicates();
        assertThat(ticks).first().isEqualTo(minute.minus(Duration.ofHours(4)));
    }

    @Test
    void twoSchedulersAtOnceFireEveryTickOnce() throws InterruptedException {
        var jobs = IntStream.range(0, 20)
                .mapToObj(_ -> bed.minutely().due(minute.minus(Duration.ofHours(2))))
                .toList();

        var schedulers = IntStream.range(0, 3)
                .mapToObj(_ -> Thread.ofVirtual().start(bed::runUntilNothingIsDue))
                .toList();
        for (var scheduler : schedulers) {
            scheduler.join();
        }

        assertThat(jobs).allSatisfy(job -> {
            assertThat(bed.live(job)).hasSizeBetween(121, 122).doesNotHaveDuplicates();
            assertThat(bed.count(job, "FIRED")).isEqualTo(bed.live(job).size());
        });
    }

    @Test
    void thousandsThatAreDueAtOnceAreMovedOnInOneRoundAndEachFiresOnce() {
        var job = bed.every(Duration.ofHours(24)).due(minute);
        var _ = bed.db.execute("""
                WITH copies AS MATERIALIZED (SELECT gen_random_uuid() AS id FROM generate_series(2, 1700)), jobs AS (
                  INSERT INTO jobs SELECT (jsonb_populate_record(j, jsonb_build_object('job_id', c.id))).*
                  FROM jobs j, copies c WHERE j.job_id = $1)
                INSERT INTO schedules
                SELECT (jsonb_populate_record(s, jsonb_build_object('job_id', c.id, 'root_id', c.id))).*
                FROM schedules s, copies c WHERE s.job_id = $1
                """, job);

        var _ = bed.runOnce();

        assertThat(bed.db.number("SELECT count(*) FROM schedules WHERE next_run_at > now()"))
                .isEqualTo(1700);
        assertThat(bed.db.number("SELECT count(DISTINCT execution_id) FROM ticks WHERE outcome = 'FIRED'"))
                .isEqualTo(1700)
                .isEqualTo(bed.db.number("SELECT count(*) FROM exec_live"));
    }

    @Test
    void aScheduleEndsBeforeItsEndAndIsRetired() {
        var job = bed.minutely().endsAt(minute.minus(Duration.ofMinutes(2))).due(minute.minus(Duration.ofMinutes(5)));

        bed.runUntilNothingIsDue();

        assertThat(bed.live(job))
                .containsExactly(
                        minute.minus(Duration.ofMinutes(5)),
                        minute.minus(Duration.ofMinutes(4)),
                        minute.minus(Duration.ofMinutes(3)));
        assertThat(bed.nextRunAt(job)).isNull();
        assertThat(bed.db.number("SELECT count(*) FROM jobs WHERE retired_at IS NOT NULL"))
                .isEqualTo(1);
    }

    @Test
    void aScheduleEndsAfterItsLastFire() {
        var job = bed.minutely().maxFires(3).due(minute.minus(Duration.ofHours(1)));

        bed.runUntilNothingIsDue();

        assertThat(bed.live(job)).hasSize(3);
        assertThat(bed.outcomes(job)).containsExactly("FIRED", "FIRED", "FIRED");
        assertThat(bed.nextRunAt(job)).isNull();
        assertThat(bed.db.number("SELECT count(*) FROM jobs WHERE retired_at IS NOT NULL"))
                .isEqualTo(1);
    }

    @Test
    void aScheduleThatCannotBeReadIsSetAsideWithAReasonAndTheOthersGoOn() {
        var broken = bed.cron("no cron", "UTC").due(minute.minus(Duration.ofHours(1)));
        var sound = bed.minutely().due(minute);

        bed.runUntilNothingIsDue();

        assertThat(bed.live(broken)).isEmpty();
        assertThat(bed.nextRunAt(broken)).isNull();
        assertThat(bed.live(sound)).isNotEmpty();
        var row = bed.db.row(
                "SELECT s.set_aside_reason, j.retired_at FROM schedules s JOIN jobs j ON j.job_id = s.job_id"
                        + " WHERE s.job_id = $1",
                broken);
        assertThat(row.getString("set_aside_reason")).contains("no cron");
        assertThat(row.getOffsetDateTime("retired_at")).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "overlap = 'SOMETIMES'; SOMETIMES",
                "dst_gap = 'JUMP'; JUMP",
                "catch_up = 'NEVER'; NEVER",
                "timezone = 'Mars/Olympus'; Mars/Olympus",
                "starts_at = NULL; starts_at is missing",
                "cron_expression = NULL; \"\"",
                "every_ms = 0; \"\"",
                "every_ms = -9223372036854775808; \"\"",
                "jitter_ms = -9223372036854775808; \"\"",
                "next_run_at = '-infinity'; before 1970"
            },
            quoteCharacter = '"')
    void aScheduleWhoseRowIsDamagedIsSetAsideAndTheOthersGoOn(String damage, String reason) {
        var broken = bed.minutely().due(minute);
        var sound = bed.minutely().due(minute);
        var _ = bed.db.execute("UPDATE schedules SET " + damage + " WHERE job_id = $1", broken);

        bed.runUntilNothingIsDue();

        assertThat(bed.live(sound)).isNotEmpty();
        assertThat(bed.nextRunAt(broken)).isNull();
        assertThat(bed.db
                        .row("SELECT set_aside_reason FROM schedules WHERE job_id = $1", broken)
                        .getString(0))
                .isNotBlank()
                .contains(reason);
    }

    @Test
    void aTimeWithoutEndIsSleptForLikeAnyOther() {
        var job = bed.minutely().due(minute);
        var _ = bed.db.execute("UPDATE schedules SET next_run_at = 'infinity' WHERE job_id = $1", job);

        assertThat(bed.runOnce()).isPositive();
    }

    @Test
    void aScheduleThatTheDatabaseRefusesIsSetAsideAloneAndTheRestOfItsBatchGoesOn() {
        var broken = bed.minutely().due(minute);
        var sound =
                IntStream.range(0, 9).mapToObj(_ -> bed.minutely().due(minute)).toList();
        var _ = bed.db.execute("UPDATE schedules SET fires = 9223372036854775807 WHERE job_id = $1", broken);

        bed.runUntilNothingIsDue();

        assertThat(bed.live(broken)).isEmpty();
        assertThat(bed.db
                        .row("SELECT set_aside_reason FROM schedules WHERE job_id = $1", broken)
                        .getString(0))
                .contains("out of range");
        assertThat(sound).allSatisfy(job -> assertThat(bed.live(job)).isNotEmpty());
    }

    @Test
    void anUpdateLeavesOutAndDoublesNoTickHoweverLateTheSchedulerIs() {
        var old = bed.minutely().due(minute.minus(Duration.ofMinutes(3)));
        var id = Uuid7.next();

        var result = await(bed.store.replace(old, id, _ -> bed.minutely().as(id, minute.plus(Duration.ofMinutes(1)))));
        bed.runUntilNothingIsDue();

        assertThat(result).isInstanceOf(Result.Created.class);
        assertThat(bed.live(old)).hasSizeBetween(4, 5);
        assertThat(bed.live(id)).allMatch(tick -> tick.isAfter(minute)).hasSizeLessThanOrEqualTo(1);
        assertThat(bed.nextRunAt(old)).isNull();
        assertThat(bed.db
                        .row("SELECT version, previous_version_id FROM jobs WHERE job_id = $1", id)
                        .getUUID("previous_version_id"))
                .isEqualTo(old);
    }

    @Test
    void aRetiredVersionCannotBeReplacedAgain() {
        var old = bed.minutely().due(minute.plus(Duration.ofHours(1)));
        var next = Uuid7.next();
        var other = Uuid7.next();
        var first = await(bed.store.replace(old, next, _ -> bed.minutely().as(next, minute)));

        var second = await(bed.store.replace(old, other, _ -> bed.minutely().as(other, minute)));

        assertThat(first).isInstanceOf(Result.Created.class);
        assertThat(second).isNull();
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(2);
    }

    @Test
    void aCancelledScheduleFiresNoMore() {
        UUID job = bed.minutely().due(minute.minus(Duration.ofMinutes(3)));

        assertThat(await(bed.cancelling.retire(job))).isTrue();
        bed.runUntilNothingIsDue();

        assertThat(bed.live(job)).isEmpty();
    }
}
