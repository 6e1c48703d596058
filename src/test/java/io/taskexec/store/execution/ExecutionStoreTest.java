package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.Attempt;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobStatus;
import io.taskexec.store.job.JobStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class ExecutionStoreTest {
    private static final UUID WORKER = UUID.randomUUID();

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static ExecutionStore store;
    private static JobStore jobs;

    @BeforeAll
    static void open() {
        store = new ExecutionStore(db.database());
        jobs = new JobStore(db.database());
        rows.endpoint(ENDPOINT).attempts(5, Duration.ofSeconds(1)).insert();
    }

    private static Execution find(UUID id) {
        var found = await(store.find(id));
        return Objects.requireNonNull(found);
    }

    private static Job job(UUID id) {
        var found = await(jobs.find(id));
        return Objects.requireNonNull(found);
    }

    @Test
    void theStateIsDerivedFromTheRow() {
        var pending = rows.live().dueIn(Duration.ofMinutes(5)).insert();
        var queued = rows.live().insert();
        var running = rows.live().leased(WORKER, Duration.ofSeconds(50)).insert();
        var lost = rows.live().leased(WORKER, Duration.ofSeconds(-1)).insert();
        var retrying = rows.live().failures(2).dueIn(Duration.ofSeconds(20)).insert();
        var retryDue = rows.live().failures(2).insert();

        assertThat(find(pending).status()).isEqualTo(ExecutionStatus.PENDING);
        assertThat(find(queued).status()).isEqualTo(ExecutionStatus.QUEUED);
        assertThat(find(running).status()).isEqualTo(ExecutionStatus.RUNNING);
        assertThat(find(lost).status()).isEqualTo(ExecutionStatus.RETRYING);
        assertThat(find(retrying).status()).isEqualTo(ExecutionStatus.RETRYING);
        assertThat(find(retryDue).status()).isEqualTo(ExecutionStatus.RETRYING);
        for (var status : new String[] {"SUCCESS", "FAILED", "CANCELLED", "EXPIRED"}) {
            assertThat(find(rows.finished().status(status).insert()).status().name())
                    .isEqualTo(status);
        }
        assertThat(await(store.find(Uuid7.next()))).isNull();
    }

    @Test
    void whatWaitsHasATimeAndWhatRunsOrEndedHasNone() {
        var retrying =
                find(rows.live().failures(2).dueIn(Duration.ofSeconds(20)).insert());
        assertThat(retrying.nextAttemptAt()).isEqualTo(retrying.runAt());
        assertThat(retrying.attemptCount()).isEqualTo(2);
        assertThat(retrying.maxAttempts()).isEqualTo(5);
        assertThat(retrying.completedAt()).isNull();

        var running = find(rows.live().leased(WORKER, Duration.ofSeconds(50)).insert());
        assertThat(running.nextAttemptAt()).isNull();
        assertThat(running.startedAt()).isNotNull();
        assertThat(running.duration()).isNull();

        var ended = find(rows.finished().attempts(3).insert());
        assertThat(ended.nextAttemptAt()).isNull();
        assertThat(ended.attemptCount()).isEqualTo(3);
        assertThat(ended.duration()).isEqualTo(Duration.ofMillis(500));
        assertThat(ended.output()).hasToString("{}");
    }

    @Test
    void aJobIsActiveUntilItsExecutionEnds() {
        assertThat(job(rows.live().insert()).status()).isEqualTo(JobStatus.ACTIVE);
        assertThat(job(rows.live().leased(WORKER, Duration.ofSeconds(-5)).insert())
                        .status())
                .isEqualTo(JobStatus.ACTIVE);
        var ended = job(rows.finished().status("FAILED").key("k").insert());
        assertThat(ended.status()).isEqualTo(JobStatus.RETIRED);
        assertThat(ended.idempotencyKey()).isEqualTo("k");
        assertThat(ended.execution()).isNotNull();
        assertThat(await(jobs.find(Uuid7.next()))).isNull();
    }

    @Test
    void attemptsAreOneListWithTheRunningOneLast() {
        var id = rows.live().insert();
        var leases = Stores.leases(db.database());
        var recorder = Stores.recorder(db.database());
        assertThat(await(store.attempts(id, 0, 100))).isEmpty();

        var first = await(leases.claim(new Integer[] {4}, 1, Duration.ofSeconds(60), WORKER));
        assertThat(await(recorder.record(
                        first.getFirst(), WORKER, new Transition.RetryAfter(Duration.ZERO, json("{'n': 1}")))))
                .isTrue();
        var second = await(leases.claim(new Integer[] {4}, 1, Duration.ofSeconds(60), WORKER));
        assertThat(await(recorder.record(second.getFirst(), WORKER, new Transition.Interrupt())))
                .isTrue();
        assertThat(await(leases.claim(new Integer[] {4}, 1, Duration.ofMillis(-1), WORKER)))
                .hasSize(1);
        var last = await(leases.claim(new Integer[] {4}, 1, Duration.ofSeconds(60), WORKER));

        assertThat(await(store.attempts(id, 0, 100)))
                .extracting(Attempt::number)
                .containsExactly(1, 2, 3, 4);
        assertThat(await(store.attempts(id, 0, 100)))
                .extracting(Attempt::status)
                .containsExactly(
                        Attempt.Status.FAILED, Attempt.Status.INTERRUPTED, Attempt.Status.LOST, Attempt.Status.RUNNING);
        assertThat(await(store.attempts(id, 0, 100)).getFirst().error()).hasToString("{\"n\":1}");

        assertThat(await(recorder.record(last.getFirst(), WORKER, new Transition.Succeed(json("{'ok': true}")))))
                .isTrue();

        var attempts = await(store.attempts(id, 0, 100));
        assertThat(attempts).extracting(Attempt::number).containsExactly(1, 2, 3, 4);
        assertThat(attempts.getLast().status()).isEqualTo(Attempt.Status.SUCCESS);
        assertThat(attempts.getLast().output()).hasToString("{\"ok\":true}");
        assertThat(attempts.getLast().workerId()).isEqualTo(WORKER);
        assertThat(attempts.getLast().duration()).isNotNull();
    }

    @Test
    void theLastAttemptOfWhatWasGivenUpIsShownOnceAsLost() {
        var id = rows.live()
                .leased(WORKER, Duration.ofSeconds(-1))
                .attempt(4)
                .rescues(LeaseStore.MAX_RESCUES)
                .insert();
        var claim = await(Stores.leases(db.database()).claim(new Integer[] {4}, 1, Duration.ofSeconds(60), WORKER));
        assertThat(await(Stores.recorder(db.database())
                        .record(claim.getFirst(), WORKER, new Transition.Fail(json("{'type': 'WORKER_LOST'}")))))
                .isTrue();

        assertThat(await(store.attempts(id, 0, 100))).hasSize(1);
        assertThat(await(store.attempts(id, 0, 100)).getFirst().status()).isEqualTo(Attempt.Status.LOST);
        assertThat(find(id).status()).isEqualTo(ExecutionStatus.FAILED);
        assertThat(find(id).attemptCount()).isEqualTo(4);
    }

    @Test
    void anExecutionCancelledBeforeItsFirstAttemptHasNone() {
        var id = rows.finished().status("CANCELLED").attempts(0).insert();

        assertThat(await(store.attempts(id, 0, 100))).isEmpty();
    }

    @Test
    void theExecutionsOfAJobComeNewestFirstInPages() {
        var jobId = rows.finished().createdAgo(Duration.ofDays(3)).insert();
        var expected = new ArrayList<UUID>(List.of(jobId));
        for (var i = 1; i <= 6; i++) {
            var id = Rows.idFrom(Duration.ofHours(60 - i));
            expected.addFirst(id);
            if (i % 2 == 0) {
                db.execute("""
                        INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, run_at, completed_at,
                          created_at) VALUES ($1, $2, 4, 'FAILED', 0, now(), now(), now())
                        """, id, jobId);
            } else {
                db.execute("""
                        INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                        VALUES ($1, $2, 4, now(), now(), now())
                        """, id, jobId);
            }
        }

        var seen = new ArrayList<UUID>();
        UUID after = null;
        do {
            var page = await(store.ofJob(jobId, ExecutionStore.Filter.NONE, 3, after));
            page.items().forEach(execution -> seen.add(execution.id()));
            after = page.next();
        } while (after != null);

        assertThat(seen).containsExactlyElementsOf(expected);
        assertThat(await(store.ofJob(Uuid7.next(), ExecutionStore.Filter.NONE, 3, null))
                        .items())
                .isEmpty();
    }

    @Test
    void aListOfJobsIsStableWhileOthersAreCreated() {
        var expected = new ArrayList<UUID>();
        for (var i = 0; i < 10; i++) {
            expected.addFirst(
                    i % 2 == 0
                            ? rows.live().insert()
                            : rows.live().leased(WORKER, Duration.ZERO).insert());
        }

        var seen = new ArrayList<UUID>();
        UUID after = null;
        do {
            var page = await(jobs.list(JobStore.Filter.NONE, 3, after));
            page.items().forEach(job -> seen.add(job.id()));
            after = page.next();
            rows.live().insert();
        } while (after != null);

        assertThat(seen).containsExactlyElementsOf(expected);
    }

    @Test
    void aPageThatIsExactlyFullIsTheLast() {
        rows.live().insert();
        rows.live().insert();

        assertThat(await(jobs.list(JobStore.Filter.NONE, 2, null)).next()).isNull();
        assertThat(await(jobs.list(JobStore.Filter.NONE, 1, null)).next()).isNotNull();
    }

    @Test
    void aReplayHasTheTypeAndTheAttemptsOfTheVersionThatItRunsOn() {
        rows.endpoint("changed").version(2).insert();
        db.execute("""
                UPDATE endpoint_versions
                SET endpoint_type = 'KAFKA', retry_policy = jsonb_set(retry_policy::jsonb, '{max_attempts}', '7')::json
                WHERE name = 'changed' AND version = 2
                """);
        var first = rows.live().endpoint("changed").insert();
        var replay = rows.live().endpoint("changed").insert();
        db.execute("UPDATE exec_live SET endpoint_version = 2 WHERE execution_id = $1", replay);

        assertThat(find(first).endpointType()).isEqualTo(EndpointType.HTTP);
        assertThat(find(replay).endpointType()).isEqualTo(EndpointType.KAFKA);
        assertThat(find(replay).maxAttempts()).isEqualTo(7);
    }
}
