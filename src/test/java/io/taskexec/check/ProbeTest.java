package io.taskexec.check;

import static io.taskexec.check.ProbeBed.exec;
import static io.taskexec.check.ProbeBed.job;
import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Finding;
import io.taskexec.model.Uuid7;
import io.taskexec.store.region.HeartbeatStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
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

    private ProbeBed bed;

    @BeforeAll
    static void register() {
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void clear() {
        bed = new ProbeBed(db);
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
        var _ = bed.schedule(30);

        bed.assertClean();
        assertThat(bed.look(CheckDepth.QUICK))
                .hasSameSizeAs(bed.look(CheckDepth.THOROUGH))
                .allMatch(finding -> finding.count() == 0);
    }

    @Test
    void anEmptyDatabaseIsClean() {
        bed.assertClean();
    }

    @Test
    void aLeaseOfATickThatRanOutLongAgoIsFoundInTheLinesOfTicksToo() {
        var worker = rows.worker(Duration.ZERO);
        var stuck = rows.live().lane(8 * 8 + 4).leased(worker, LONG.negated()).insert();

        bed.assertFound("lease_unreclaimed", exec(stuck));
    }

    @Test
    void aLeaseThatRanOutInAPausedQueueIsFoundOnceTheQueueHasRunForAMinute() {
        var worker = rows.worker(Duration.ZERO);
        var stuck = rows.live().leased(worker, LONG.negated()).insert();
        db.execute("UPDATE queues SET paused_at = now()");
        bed.assertClean();
        db.execute("UPDATE queues SET paused_at = NULL, resumed_at = now() - interval '10 seconds'");
        bed.assertClean();

        db.execute("UPDATE queues SET resumed_at = now() - interval '2 minutes'");

        bed.assertFound("lease_unreclaimed", exec(stuck));
        db.execute("UPDATE queues SET resumed_at = NULL");
    }

    @Test
    void aLeaseThatRanOutLongAgoWhileAWorkerLivedIsFound() {
        var worker = rows.worker(Duration.ZERO);
        var stuck = rows.live().leased(worker, LONG.negated()).insert();

        bed.assertFound("lease_unreclaimed", exec(stuck));
    }

    @Test
    void aLeaseThatRanOutWhileWorkersHaveNoRoomOrArePressedWaitsForThem() {
        var worker = rows.worker(Duration.ZERO);
        var stuck = rows.live().leased(worker, LONG.negated()).insert();
        db.execute("UPDATE workers SET slots = 10, used_slots = 10");
        bed.assertClean();
        db.execute("UPDATE workers SET used_slots = 9, activity = '{\"least_urgent\": 2}'");
        bed.assertClean();

        db.execute("UPDATE workers SET activity = '{\"least_urgent\": 4}'");

        bed.assertFound("lease_unreclaimed", exec(stuck));
    }

    @Test
    void whatBeganSinceTheCapOfItsFlowKeyWasSetMustKeepIt() {
        rows.flowPolicy(ENDPOINT, "max_concurrency", "1");
        var worker = rows.worker(Duration.ZERO);
        for (var i = 0; i < 2; i++) {
            rows.live().flow("a").leased(worker, Duration.ofMinutes(5)).insert();
        }
        db.execute("UPDATE exec_live SET flow_state = 2, started_at = now()");
        db.execute("UPDATE flow_limits SET open = 2");
        db.execute("UPDATE endpoints SET updated_at = now()");
        bed.assertClean();

        db.execute("UPDATE endpoints SET updated_at = now() - interval '1 minute'");

        bed.assertFound("flow_key_over_cap", ENDPOINT + " a");
        db.execute("DELETE FROM flow_policies");
    }

    @Test
    void aLeaseThatRanOutWhileNoWorkerLivedIsNone() {
        var dead = rows.worker(LONG.plus(LONG));
        rows.live().leased(dead, LONG.negated()).insert();

        bed.assertClean();
    }

    @Test
    void aLeaseThatRanOutAMomentAgoIsNone() {
        var worker = rows.worker(Duration.ZERO);
        rows.live().leased(worker, Duration.ofSeconds(-20)).insert();

        bed.assertClean();
    }

    @Test
    void aLeaseThatRanOutBehindOthersInItsLaneWaitsAsTheyDo() {
        var worker = rows.worker(Duration.ZERO);
        rows.live().dueSince(LONG.plus(LONG)).insert();
        rows.live().leased(worker, LONG.negated()).insert();

        bed.assertClean();
    }

    @Test
    void anExecutionThatHasEndedAndIsInTheQueueIsFound() {
        var ended = rows.finished().insert();
        db.execute(
                "INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)"
                        + " VALUES ($1, $1, 4, now(), now(), now())",
                ended);

        bed.assertFound("ended_in_queue", exec(ended));
    }

    @Test
    void anExecutionInTheQueueWithoutAJobIsFound() {
        var orphan = rows.live().insert();
        bed.deleteJob(orphan);

        bed.assertFound("queued_without_job", exec(orphan));
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
        bed.assertClean();

        db.execute("DELETE FROM region_status WHERE region = 'forgotten'");

        bed.assertFound("queued_without_region", exec(job), exec(tick));
    }

    @Test
    void anExecutionInAQueueThatWasDeletedIsFound() {
        db.execute("INSERT INTO queues (queue_id, name) VALUES (5, 'deleted')");
        var lost = rows.live().lane(5 * 128 + 4).insert();
        bed.assertClean();

        db.execute("UPDATE queues SET deleted_at = now() WHERE queue_id = 5");

        bed.assertFound("queued_in_deleted_queue", exec(lost));
    }

    @Test
    void anExecutionThatHasExpiredAndWaitsWhileASchedulerLivesIsFound() {
        var expired = rows.live().insert();
        var begun = rows.live().attempt(1).insert();
        db.execute("UPDATE exec_live SET expires_at = now() - interval '2 minutes'");
        db.execute("DELETE FROM region_heartbeats");
        bed.assertClean();

        await(new HeartbeatStore(db.database()).schedulerHasSettled());
        bed.assertFound("expired_in_queue", exec(expired));

        db.execute("UPDATE exec_live SET deadline = expires_at WHERE execution_id = $1", begun);
        db.execute("DELETE FROM exec_live WHERE execution_id = $1", expired);
        db.execute("DELETE FROM jobs WHERE job_id = $1", expired);
        bed.assertFound("expired_in_queue", exec(begun));
    }

    @Test
    void beforeThereIsARegionNothingIsMissed() {
        rows.live().insert();

        bed.assertClean();
    }

    @Test
    void aJobWithoutAnExecutionIsFound() {
        var lost = rows.live().insert();
        db.execute("DELETE FROM exec_live");

        bed.assertFound("job_without_execution", job(lost));
    }

    @Test
    void anExecutionThatHasEndedWithoutAJobIsFound() {
        var orphan = rows.finished().insert();
        bed.deleteJob(orphan);

        bed.assertFound("ended_without_job", exec(orphan));
    }

    @Test
    void anAttemptWithoutAnExecutionIsFound() {
        var finished = rows.finished().attempts(2).insert();
        db.execute("DELETE FROM executions");
        bed.deleteJob(finished);

        bed.assertFound("attempt_without_execution", exec(finished) + " attempt 1");
    }

    @Test
    void aTagWithoutAJobIsFound() {
        var gone = Uuid7.next();
        db.execute("INSERT INTO job_tags VALUES ('a', $1)", gone);

        bed.assertFound("tag_without_job", job(gone) + " a");
    }

    @Test
    void aKeyWithoutAJobIsFoundUntilItExpires() {
        db.execute(
                "INSERT INTO idempotency_keys VALUES ($1, 'k', $2, $2, now() - interval '23 hours')",
                ENDPOINT,
                Uuid7.next());
        bed.assertFound("key_without_job", ENDPOINT + " k");

        rows.ageKey("k", Duration.ofHours(25));
        bed.assertClean();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 7})
    void examplesAreFewAndTheCountIsWhole(int lost) {
        for (var i = 0; i < lost; i++) {
            rows.live().insert();
        }
        db.execute("DELETE FROM exec_live");

        assertThat(bed.found()).singleElement().satisfies(finding -> {
            assertThat(finding.count()).isEqualTo(lost);
            assertThat(finding.examples()).hasSize(Math.min(lost, Finding.MAX_EXAMPLES));
        });
    }
}
