package io.taskexec.check;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Finding;
import io.taskexec.model.PublicId;
import io.taskexec.model.Uuid7;
import io.taskexec.model.job.TickId;
import io.taskexec.store.invariant.InvariantStore;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.region.HeartbeatStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@StoreTest
class ProbeTest {
    private static final Duration LONG = Duration.ofSeconds(90);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static Probe probe;

    private final Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);

    @BeforeAll
    static void open() {
        probe = new Probe(new InvariantStore(db.database(), () -> 24), new LedgerStore(db.database(), new DueSignal()));
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void clear() {
        for (var table : new String[] {"schedules", "ticks", "region_heartbeats", "region_status"}) {
            var _ = db.execute("DELETE FROM " + table);
        }
    }

    private static List<Finding> found() {
        return await(probe.look(CheckDepth.THOROUGH)).stream()
                .filter(finding -> finding.count() > 0)
                .toList();
    }

    private static void assertClean() {
        assertThat(found()).isEmpty();
    }

    private static void assertFound(String name, String... examples) {
        assertThat(found()).singleElement().satisfies(finding -> {
            assertThat(finding.invariant().name()).isEqualTo(name);
            assertThat(finding.count()).isEqualTo(examples.length);
            assertThat(finding.examples()).containsExactlyInAnyOrder(examples);
        });
    }

    private static String exec(UUID id) {
        return PublicId.EXECUTION.show(id);
    }

    private static String job(UUID id) {
        return PublicId.JOB.show(id);
    }

    private static void deleteJob(UUID id) {
        assertThat(db.execute("DELETE FROM jobs WHERE job_id = $1", id)).isEqualTo(1);
    }

    /** An hourly schedule with a line for each of its last {@code hours} ticks. */
    private UUID schedule(int hours) {
        var id = Uuid7.next();
        var start = hour.minus(Duration.ofHours(hours)).atOffset(ZoneOffset.UTC);
        db.execute(
                "INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, created_at)"
                        + " VALUES ($1, $2, 1, 'CRON', 4, $3::timestamptz - interval '1 minute')",
                id,
                ENDPOINT,
                start);
        db.execute(
                "INSERT INTO schedules (job_id, root_id, cron_expression, timezone, starts_at, next_run_at)"
                        + " VALUES ($1, $1, '0 * * * *', 'UTC', $2, $3)",
                id,
                start,
                hour.plus(Duration.ofHours(1)).atOffset(ZoneOffset.UTC));
        for (var ago = 0; ago <= hours; ago++) {
            var at = hour.minus(Duration.ofHours(ago));
            db.execute(
                    "INSERT INTO ticks VALUES ($1, $2, 'FIRED', $3, 0)",
                    id,
                    at.atOffset(ZoneOffset.UTC),
                    TickId.of(id, at));
        }
        return id;
    }

    @Test
    void aDatabaseWithWorkInEveryStateIsClean() {
        var worker = rows.worker(Duration.ZERO);
        rows.live().dueIn(LONG).key("pending").insert();
        rows.live().dueSince(Duration.ofHours(3)).insert();
        rows.live().leased(worker, LONG).insert();
        rows.live().failures(2).dueIn(LONG).insert();
        rows.finished().attempts(3).key("finished").insert();
        rows.finished().status("CANCELLED").insert();
        rows.finished().endedAgo(Duration.ofDays(40)).insert();
        var tagged = rows.live().insert();
        db.execute("INSERT INTO job_tags VALUES ('a', $1)", tagged);
        var _ = schedule(30);

        assertClean();
        assertThat(await(probe.look(CheckDepth.QUICK)))
                .hasSameSizeAs(await(probe.look(CheckDepth.THOROUGH)))
                .allMatch(finding -> finding.count() == 0);
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
        var first = schedule(1);
        var one = schedule(1);
        makeSuccessor(first, one);
        retire(first, "1 minute");
        assertClean();

        var other = schedule(1);
        makeSuccessor(first, other);
        assertFound("schedule_forked", job(one), job(other));

        retire(other, "0");
        assertFound("schedule_forked", job(one), job(other));

        for (var version : List.of(one, other)) {
            var old = Rows.idFrom(Duration.ofHours(13));
            for (var table : new String[] {"schedules", "jobs", "ticks"}) {
                db.execute("UPDATE " + table + " SET job_id = $1 WHERE job_id = $2", old, version);
            }
        }
        assertClean();
    }

    @Test
    void ofALongLineOfVersionsOneIsInForceAndNoneIsFound() {
        var first = schedule(1);
        var before = first;
        for (var version = 2; version < 5; version++) {
            var next = schedule(1);
            makeSuccessor(first, next);
            db.execute("UPDATE jobs SET previous_version_id = $1 WHERE job_id = $2", before, next);
            retire(before, "0");
            before = next;
        }
        assertClean();
    }

    @Test
    void anEmptyDatabaseIsClean() {
        assertClean();
    }

    @Test
    void aLeaseOfATickThatRanOutLongAgoIsFoundInTheLinesOfTicksToo() {
        var worker = rows.worker(Duration.ZERO);
        var stuck = rows.live().lane(8 * 8 + 4).leased(worker, LONG.negated()).insert();

        assertFound("lease_unreclaimed", exec(stuck));
    }

    @Test
    void aLeaseThatRanOutInAPausedQueueIsFoundOnceTheQueueHasRunForAMinute() {
        var worker = rows.worker(Duration.ZERO);
        var stuck = rows.live().leased(worker, LONG.negated()).insert();
        db.execute("UPDATE queues SET paused_at = now()");
        assertClean();
        db.execute("UPDATE queues SET paused_at = NULL, resumed_at = now() - interval '10 seconds'");
        assertClean();

        db.execute("UPDATE queues SET resumed_at = now() - interval '2 minutes'");

        assertFound("lease_unreclaimed", exec(stuck));
        db.execute("UPDATE queues SET resumed_at = NULL");
    }

    @Test
    void aLeaseThatRanOutLongAgoWhileAWorkerLivedIsFound() {
        var worker = rows.worker(Duration.ZERO);
        var stuck = rows.live().leased(worker, LONG.negated()).insert();

        assertFound("lease_unreclaimed", exec(stuck));
    }

    @Test
    void aLeaseThatRanOutWhileNoWorkerLivedIsNone() {
        var dead = rows.worker(LONG.plus(LONG));
        rows.live().leased(dead, LONG.negated()).insert();

        assertClean();
    }

    @Test
    void aLeaseThatRanOutAMomentAgoIsNone() {
        var worker = rows.worker(Duration.ZERO);
        rows.live().leased(worker, Duration.ofSeconds(-20)).insert();

        assertClean();
    }

    @Test
    void aLeaseThatRanOutBehindOthersInItsLaneWaitsAsTheyDo() {
        var worker = rows.worker(Duration.ZERO);
        rows.live().dueSince(LONG.plus(LONG)).insert();
        rows.live().leased(worker, LONG.negated()).insert();

        assertClean();
    }

    @Test
    void anExecutionThatHasEndedAndIsInTheQueueIsFound() {
        var ended = rows.finished().insert();
        db.execute(
                "INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)"
                        + " VALUES ($1, $1, 4, now(), now(), now())",
                ended);

        assertFound("ended_in_queue", exec(ended));
    }

    @Test
    void anExecutionInTheQueueWithoutAJobIsFound() {
        var orphan = rows.live().insert();
        deleteJob(orphan);

        assertFound("queued_without_job", exec(orphan));
    }

    @Test
    void anExecutionInTheLaneOfARegionThatIsForgottenIsFound() {
        for (var region : List.of("first", "second", "forgotten")) {
            await(db.region(region).refresh());
        }
        var _ = rows.live().lane(8 + 4).insert();
        var _ = rows.live().lane((8 + 1) * 8 + 4).insert();
        var job = rows.live().lane(2 * 8 + 4).insert();
        var tick = rows.live().lane((8 + 2) * 8 + 4).dueIn(LONG).insert();
        assertClean();

        db.execute("DELETE FROM region_status WHERE region = 'forgotten'");

        assertFound("queued_without_region", exec(job), exec(tick));
    }

    @Test
    void anExecutionInAQueueThatWasDeletedIsFound() {
        db.execute("INSERT INTO queues (queue_id, name) VALUES (5, 'deleted')");
        var lost = rows.live().lane(5 * 128 + 4).insert();
        assertClean();

        db.execute("UPDATE queues SET deleted_at = now() WHERE queue_id = 5");

        assertFound("queued_in_deleted_queue", exec(lost));
    }

    @Test
    void anExecutionThatHasExpiredAndWaitsWhileASchedulerLivesIsFound() {
        var expired = rows.live().insert();
        var begun = rows.live().attempt(1).insert();
        db.execute("UPDATE exec_live SET expires_at = now() - interval '2 minutes'");
        db.execute("DELETE FROM region_heartbeats");
        assertClean();

        await(new HeartbeatStore(db.database()).schedulerHasSettled());
        assertFound("expired_in_queue", exec(expired));

        db.execute("UPDATE exec_live SET deadline = expires_at WHERE execution_id = $1", begun);
        db.execute("DELETE FROM exec_live WHERE execution_id = $1", expired);
        db.execute("DELETE FROM jobs WHERE job_id = $1", expired);
        assertFound("expired_in_queue", exec(begun));
    }

    @Test
    void beforeThereIsARegionNothingIsMissed() {
        rows.live().insert();

        assertClean();
    }

    @Test
    void aJobWithoutAnExecutionIsFound() {
        var lost = rows.live().insert();
        db.execute("DELETE FROM exec_live");

        assertFound("job_without_execution", job(lost));
    }

    @Test
    void anExecutionThatHasEndedWithoutAJobIsFound() {
        var orphan = rows.finished().insert();
        deleteJob(orphan);

        assertFound("ended_without_job", exec(orphan));
    }

    @Test
    void anAttemptWithoutAnExecutionIsFound() {
        var finished = rows.finished().attempts(2).insert();
        db.execute("DELETE FROM executions");
        deleteJob(finished);

        assertFound("attempt_without_execution", exec(finished) + " attempt 1");
    }

    @Test
    void aTagWithoutAJobIsFound() {
        var gone = Uuid7.next();
        db.execute("INSERT INTO job_tags VALUES ('a', $1)", gone);

        assertFound("tag_without_job", job(gone) + " a");
    }

    @Test
    void aKeyWithoutAJobIsFoundUntilItExpires() {
        db.execute(
                "INSERT INTO idempotency_keys VALUES ($1, 'k', $2, $2, now() - interval '23 hours')",
                ENDPOINT,
                Uuid7.next());
        assertFound("key_without_job", ENDPOINT + " k");

        rows.ageKey("k", Duration.ofHours(25));
        assertClean();
    }

    @Test
    void aScheduleWithoutAJobIsFound() {
        var schedule = schedule(1);
        deleteJob(schedule);

        assertFound("schedule_without_job", job(schedule));
    }

    @Test
    void aJobThatRepeatsWithoutAScheduleIsFound() {
        var job = schedule(1);
        db.execute("DELETE FROM schedules");

        assertFound("job_without_schedule", job(job));
    }

    @Test
    void aScheduleThatStoppedForNoReasonIsFound() {
        var job = schedule(1);
        db.execute("UPDATE schedules SET next_run_at = NULL");
        assertFound("schedule_stopped", job(job));

        db.execute("UPDATE schedules SET ended_at = now()");
        assertClean();
    }

    @Test
    void aScheduleThatWasSetAsideIsAWarningWhileItIsInForce() {
        var job = schedule(1);
        db.execute("UPDATE schedules SET next_run_at = NULL, set_aside_reason = 'unreadable'");
        assertFound("schedule_set_aside", job(job));
        assertThat(found().getFirst().isViolation()).isFalse();

        db.execute("UPDATE jobs SET retired_at = now()");
        assertClean();
    }

    @Test
    void aScheduleThatIsNotMovedOnWhileASchedulerLivesIsFound() {
        var job = schedule(0);
        db.execute("DELETE FROM ticks");
        db.execute("UPDATE jobs SET created_at = now() - interval '5 minutes'");
        db.execute("UPDATE schedules SET starts_at = now() - interval '2 minutes', cron_expression = NULL,"
                + " every_ms = 3600000, next_run_at = now() - interval '2 minutes'");
        assertClean();

        await(new HeartbeatStore(db.database()).schedulerHasSettled());
        assertFound("schedule_stalled", job(job));
    }

    @Test
    void aSchedulerThatDiedBeforeTheTickIsNotToBlame() {
        var _ = schedule(0);
        await(new HeartbeatStore(db.database()).schedulerHasSettled());
        db.execute("UPDATE region_heartbeats SET last_beat_at = now() - interval '1 day'");
        db.execute("DELETE FROM ticks");
        db.execute("UPDATE schedules SET starts_at = now() - interval '2 minutes', cron_expression = NULL,"
                + " every_ms = 3600000, next_run_at = now() - interval '2 minutes'");

        assertClean();
    }

    @Test
    void aScheduleThatCannotBeReadDoesNotKeepTheOthersFromBeingCompared() {
        var damaged = schedule(10);
        var job = schedule(10);
        var missing = hour.minus(Duration.ofHours(3));
        db.execute("UPDATE schedules SET dst_gap = 'JUMP' WHERE job_id = $1", damaged);
        db.execute("DELETE FROM ticks WHERE scheduled_at = $1", missing.atOffset(ZoneOffset.UTC));

        assertFound("tick_gap", job(job) + " " + missing);
    }

    @Test
    void ticksWithoutALineAreFound() {
        var job = schedule(10);
        var missing = hour.minus(Duration.ofHours(3));
        db.execute(
                "DELETE FROM ticks WHERE scheduled_at IN ($1, $2)",
                missing.atOffset(ZoneOffset.UTC),
                hour.minus(Duration.ofHours(7)).atOffset(ZoneOffset.UTC));

        assertFound("tick_gap", job(job) + " " + hour.minus(Duration.ofHours(7)), job(job) + " " + missing);
    }

    @Test
    void ticksThatWaitOrAreForgottenOrOlderThanADayAreNoGap() {
        var _ = schedule(30);
        db.execute("DELETE FROM ticks WHERE scheduled_at < now() - interval '25 hours'");
        assertClean();

        db.execute("DELETE FROM ticks WHERE scheduled_at < now() - interval '5 hours'");
        db.execute("UPDATE schedules SET ledger_from = now() - interval '5 hours'");
        assertClean();

        db.execute("DELETE FROM ticks WHERE scheduled_at = $1", hour.atOffset(ZoneOffset.UTC));
        db.execute("UPDATE schedules SET buffered_tick = $1", hour.atOffset(ZoneOffset.UTC));
        assertClean();
    }

    @Test
    void aGapIsFoundInAnyOfHundredsOfSchedules() {
        var _ = schedule(1);
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
        assertClean();

        db.execute("DELETE FROM ticks WHERE scheduled_at = date_trunc('minute', now()) - interval '20 minutes'");
        assertThat(found()).singleElement().satisfies(finding -> {
            assertThat(finding.count()).isEqualTo(250);
            assertThat(finding.examples()).hasSize(Finding.MAX_EXAMPLES);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 7})
    void examplesAreFewAndTheCountIsWhole(int lost) {
        for (var i = 0; i < lost; i++) {
            rows.live().insert();
        }
        db.execute("DELETE FROM exec_live");

        assertThat(found()).singleElement().satisfies(finding -> {
            assertThat(finding.count()).isEqualTo(lost);
            assertThat(finding.examples()).hasSize(Math.min(lost, Finding.MAX_EXAMPLES));
        });
    }
}
