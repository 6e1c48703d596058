package io.taskexec.check;

import static io.taskexec.check.ProbeBed.job;
import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Finding;
import io.taskexec.store.region.HeartbeatStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Faults of schedules and their ticks. */
@StoreTest
class ScheduleProbeTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private ProbeBed bed;

    @BeforeAll
    static void register() {
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void clear() {
        bed = new ProbeBed(db);
    }

    /** As ten updates at once left them. */
    private void makeSuccessor(UUID of, UUID version) {
        db.execute("UPDATE schedules SET root_id = $1, ledger_from = now() WHERE job_id = $2", of, version);
        db.execute("UPDATE jobs SET version = 2, previous_version_id = $1 WHERE job_id = $2", of, version);
    }

    private static void retire(UUID version, String ago) {
        db.execute("UPDATE schedules SET next_run_at = NULL, ended_at = now() WHERE job_id = $1", version);
        db.execute("UPDATE jobs SET retired_at = now() - $2::text::interval WHERE job_id = $1", version, ago);
    }

    @Test
    void aScheduleThatIsForkedIsFoundUntilHalfADayAfterItHasBecomeOneAgain() {
        var first = bed.schedule(1);
        var one = bed.schedule(1);
        makeSuccessor(first, one);
        retire(first, "1 minute");
        bed.assertClean();

        var other = bed.schedule(1);
        makeSuccessor(first, other);
        bed.assertFound("schedule_forked", job(one), job(other));

        retire(other, "0");
        bed.assertFound("schedule_forked", job(one), job(other));

        for (var version : List.of(one, other)) {
            var old = Rows.idFrom(Duration.ofHours(13));
            for (var table : new String[] {"schedules", "jobs", "ticks"}) {
                db.execute("UPDATE " + table + " SET job_id = $1 WHERE job_id = $2", old, version);
            }
        }
        bed.assertClean();
    }

    @Test
    void ofALongLineOfVersionsOneIsInForceAndNoneIsFound() {
        var first = bed.schedule(1);
        var before = first;
        for (var version = 2; version < 5; version++) {
            var next = bed.schedule(1);
            makeSuccessor(first, next);
            db.execute("UPDATE jobs SET previous_version_id = $1 WHERE job_id = $2", before, next);
            retire(before, "0");
            before = next;
        }
        bed.assertClean();
    }

    @Test
    void aScheduleWithoutAJobIsFound() {
        var schedule = bed.schedule(1);
        bed.deleteJob(schedule);

        bed.assertFound("schedule_without_job", job(schedule));
    }

    @Test
    void aJobThatRepeatsWithoutAScheduleIsFound() {
        var job = bed.schedule(1);
        db.execute("DELETE FROM schedules");

        bed.assertFound("job_without_schedule", job(job));
    }

    @Test
    void aScheduleThatStoppedForNoReasonIsFound() {
        var job = bed.schedule(1);
        db.execute("UPDATE schedules SET next_run_at = NULL");
        bed.assertFound("schedule_stopped", job(job));

        db.execute("UPDATE schedules SET ended_at = now()");
        bed.assertClean();
    }

    @Test
    void aScheduleThatWasSetAsideIsAWarningWhileItIsInForce() {
        var job = bed.schedule(1);
        db.execute("UPDATE schedules SET next_run_at = NULL, set_aside_reason = 'unreadable'");
        bed.assertFound("schedule_set_aside", job(job));
        assertThat(bed.found().getFirst().isViolation()).isFalse();

        db.execute("UPDATE jobs SET retired_at = now()");
        bed.assertClean();
    }

    @Test
    void aScheduleThatIsNotMovedOnWhileASchedulerLivesIsFound() {
        var job = bed.schedule(0);
        db.execute("DELETE FROM ticks");
        db.execute("UPDATE jobs SET created_at = now() - interval '5 minutes'");
        db.execute("UPDATE schedules SET starts_at = now() - interval '2 minutes', cron_expression = NULL,"
                + " every_ms = 3600000, next_run_at = now() - interval '2 minutes'");
        bed.assertClean();

        await(new HeartbeatStore(db.database()).schedulerHasSettled());
        bed.assertFound("schedule_stalled", job(job));
    }

    @Test
    void aSchedulerThatDiedBeforeTheTickIsNotToBlame() {
        var _ = bed.schedule(0);
        await(new HeartbeatStore(db.database()).schedulerHasSettled());
        db.execute("UPDATE region_heartbeats SET last_beat_at = now() - interval '1 day'");
        db.execute("DELETE FROM ticks");
        db.execute("UPDATE schedules SET starts_at = now() - interval '2 minutes', cron_expression = NULL,"
                + " every_ms = 3600000, next_run_at = now() - interval '2 minutes'");

        bed.assertClean();
    }

    @Test
    void aScheduleThatCannotBeReadDoesNotKeepTheOthersFromBeingCompared() {
        var damaged = bed.schedule(10);
        var job = bed.schedule(10);
        var missing = bed.hour().minus(Duration.ofHours(3));
        db.execute("UPDATE schedules SET dst_gap = 'JUMP' WHERE job_id = $1", damaged);
        db.execute("DELETE FROM ticks WHERE scheduled_at = $1", missing.atOffset(ZoneOffset.UTC));

        bed.assertFound("tick_gap", job(job) + " " + missing);
    }

    @Test
    void ticksWithoutALineAreFound() {
        var job = bed.schedule(10);
        var missing = bed.hour().minus(Duration.ofHours(3));
        db.execute(
                "DELETE FROM ticks WHERE scheduled_at IN ($1, $2)",
                missing.atOffset(ZoneOffset.UTC),
                bed.hour().minus(Duration.ofHours(7)).atOffset(ZoneOffset.UTC));

        bed.assertFound("tick_gap", job(job) + " " + bed.hour().minus(Duration.ofHours(7)), job(job) + " " + missing);
    }

    @Test
    void ticksThatWaitOrAreForgottenOrOlderThanADayAreNoGap() {
        var _ = bed.schedule(30);
        db.execute("DELETE FROM ticks WHERE scheduled_at < now() - interval '25 hours'");
        bed.assertClean();

        db.execute("DELETE FROM ticks WHERE scheduled_at < now() - interval '5 hours'");
        db.execute("UPDATE schedules SET ledger_from = now() - interval '5 hours'");
        bed.assertClean();

        db.execute("DELETE FROM ticks WHERE scheduled_at = $1", bed.hour().atOffset(ZoneOffset.UTC));
        db.execute("UPDATE schedules SET buffered_tick = $1", bed.hour().atOffset(ZoneOffset.UTC));
        bed.assertClean();
    }

    @Test
    void aGapIsFoundInAnyOfHundredsOfSchedules() {
        var hourly = bed.schedule(1);
        db.execute("""
                WITH j AS (
                  INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, created_at)
                  SELECT gen_random_uuid(), 'welcome', 1, 'INTERVAL', 4, now() - interval '1 hour'
                  FROM generate_series(1, 250)
                  RETURNING job_id
                ), s AS (
                  INSERT INTO schedules (job_id, root_id, timezone, every_ms, starts_at, next_run_at)
                  SELECT job_id, job_id, 'UTC', 60000, date_trunc('minute', now()) - interval '50 minutes',
                         date_trunc('minute', now()) + interval '1 minute' FROM j
                )
                INSERT INTO ticks
                SELECT job_id, date_trunc('minute', now()) - n * interval '1 minute', 'MISSED', NULL, 0
                FROM j, generate_series(0, 50) AS n
                """);
        bed.assertClean();

        db.execute(
                "DELETE FROM ticks"
                        + " WHERE scheduled_at = date_trunc('minute', now()) - interval '20 minutes' AND job_id <> $1",
                hourly);
        assertThat(bed.found()).singleElement().satisfies(finding -> {
            assertThat(finding.count()).isEqualTo(250);
            assertThat(finding.examples()).hasSize(Finding.MAX_EXAMPLES);
        });
    }
}
