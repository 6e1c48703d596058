package io.taskexec.api.explanation;

import static io.taskexec.api.explanation.ExplanationBed.in;
import static io.taskexec.api.explanation.ExplanationBed.isAbout;
import static io.taskexec.api.explanation.ExplanationBed.time;
import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.PublicId;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.auth.AuditStore;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.execution.ExpiryStore;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One test for each state of an execution, by rows as the program writes them. */
@StoreTest
class ExplanationTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static ExplanationBed bed;

    @BeforeAll
    static void open() {
        bed = new ExplanationBed(db, rows);
        rows.endpoint(ENDPOINT).attempts(3, Duration.ofSeconds(1)).insert();
    }

    @AfterAll
    static void everyReasonHasATest() {
        bed.haveSeen(EnumSet.complementOf(ExplanationBed.OBSTACLES));
    }

    @BeforeEach
    void clear() {
        bed.clear();
    }

    @Test
    void anUnknownExecutionIsNotExplained() {
        assertThat(bed.isUnknown(UUID.randomUUID())).isTrue();
    }

    @Test
    void itsRunTimeHasNotCome() {
        var id = rows.live().dueIn(HOUR).insert();

        var reason = bed.first(id, "not_due");

        isAbout(time(reason, "until"), in(HOUR));
        assertThat(bed.codes(id)).containsExactly("not_due");
        assertThat(bed.claim()).isEmpty();
    }

    @Test
    void itIsAboutToBeClaimed() {
        var id = rows.live().insert();

        assertThat(bed.first(id, "ready").path("position").asInt()).isEqualTo(1);
        assertThat(bed.explain(id).queue()).isEqualTo("default");
        assertThat(bed.claim()).containsExactly(id);
        assertThat(bed.explain(id).reason()).isEqualTo("running");
    }

    @Test
    void othersAreAheadInItsLane() {
        bed.beat(1, 1, 7);
        rows.live().dueSince(Duration.ofSeconds(20)).insert();
        rows.live().lane(0).insert();
        rows.live().lane(5).dueSince(HOUR).insert();
        rows.live().lane(4).dueIn(HOUR).insert();
        var id = rows.live().dueSince(Duration.ofSeconds(5)).insert();

        var reason = bed.first(id, "in_lane");

        assertThat(reason.path("position").asInt()).isEqualTo(3);
        assertThat(reason.has("more")).isFalse();
        assertThat(reason.has("estimated_start")).isFalse();
        assertThat(bed.claim().indexOf(id)).isLessThan(4);
    }

    @Test
    void theStartIsEstimatedByTheRateOfItsLane() {
        bed.beat(1, 1, 7);
        for (var i = 0; i < 20; i++) {
            var ended = rows.finished()
                    .createdAgo(Duration.ofSeconds(200 - i))
                    .endedAgo(Duration.ofSeconds(20 - i))
                    .insert();
            db.execute("UPDATE executions SET started_at = completed_at WHERE execution_id = $1", ended);
        }
        for (var i = 0; i < 9; i++) {
            rows.live().dueSince(Duration.ofMinutes(1)).insert();
        }
        var id = rows.live().insert();

        var reason = bed.first(id, "in_lane");

        assertThat(reason.path("position").asInt()).isEqualTo(10);
        assertThat(reason.path("starts_per_sec").asDouble()).isBetween(0.5, 1.1);
        assertThat(Duration.between(Instant.now(), time(reason, "estimated_start")))
                .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(25));
    }

    @Test
    void aPlaceIsCountedUpToALimit() {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT gen_random_uuid(), gen_random_uuid(), 4, now() - interval '1 hour', now(), now()
                FROM generate_series(1, 10050)
                """);
        var id = rows.live().insert();

        var reason = bed.first(id, "in_lane");

        assertThat(reason.path("position").asInt()).isEqualTo(10_001);
        assertThat(reason.path("more").asBoolean()).isTrue();
        assertThat(reason.path("message").asText()).contains("more than 10000");
    }

    @Test
    void itRunsOnAWorker() {
        var id = rows.live().insert();
        assertThat(bed.claim()).containsExactly(id);

        var reason = bed.first(id, "running");

        assertThat(reason.path("worker_id").asText()).isEqualTo(PublicId.WORKER.show(bed.worker()));
        assertThat(reason.path("host").asText()).isEqualTo("pod-a");
        assertThat(reason.path("attempt").asInt()).isEqualTo(1);
        isAbout(time(reason, "until"), in(Duration.ofMinutes(1)));
    }

    @Test
    void itsWorkerIsSilent() {
        var id = rows.live().insert();
        assertThat(bed.claim()).containsExactly(id);
        db.execute("DELETE FROM workers");

        var reason = bed.first(id, "worker_silent");

        assertThat(reason.path("worker_id").asText()).isEqualTo(PublicId.WORKER.show(bed.worker()));
        assertThat(reason.has("last_heartbeat_at")).isFalse();
    }

    @Test
    void itsWorkerHasLostItsLease() {
        var id = rows.live().leased(UUID.randomUUID(), Duration.ofMinutes(-1)).insert();

        var reason = bed.first(id, "lease_lost");

        assertThat(reason.path("workers_lost").asInt()).isEqualTo(1);
        assertThat(bed.codes(id)).containsExactly("lease_lost");
        assertThat(bed.claim()).containsExactly(id);
        assertThat(db.number("SELECT rescues FROM exec_live")).isEqualTo(1);
    }

    @Test
    void aLostExecutionIsNotRescuedWithoutWorkers() {
        db.execute("DELETE FROM workers");
        var id = rows.live().leased(UUID.randomUUID(), Duration.ofMinutes(-1)).insert();

        assertThat(bed.codes(id)).containsExactly("lease_lost", "no_worker");
    }

    @Test
    void itWaitsForItsNextAttempt() {
        var id = rows.live().failures(1).dueIn(HOUR).insert();
        db.execute("UPDATE exec_live SET run_at = now() - interval '1 hour', started_at = now() - interval '1 minute'");
        db.execute(
                "INSERT INTO attempts (execution_id, attempt_number, status, error, started_at, completed_at)"
                        + " VALUES ($1, 1, 'FAILED', '{\"type\": \"TIMEOUT\", \"message\": \"No answer within 1 s.\"}',"
                        + " now(), now())",
                id);

        var reason = bed.first(id, "retrying");

        isAbout(time(reason, "until"), in(HOUR));
        assertThat(reason.path("error").path("type").asText()).isEqualTo("TIMEOUT");
        assertThat(reason.path("attempt").asInt()).isEqualTo(1);
        assertThat(reason.path("max_attempts").asInt()).isEqualTo(3);
        assertThat(reason.path("message").asText())
                .contains("No answer within 1 s.")
                .doesNotContain("..");
        assertThat(bed.claim()).isEmpty();
    }

    @Test
    void aWorkerHasPutItOff() {
        var id = rows.live().insert();
        var claims = bed.claims();
        var _ = await(bed.leases().handBack(claims, Duration.ofMinutes(5)));

        isAbout(time(bed.first(id, "postponed"), "until"), in(Duration.ofMinutes(5)));
    }

    private static void waits(UUID child, int rule, UUID... parents) {
        db.execute(
                "UPDATE exec_live SET trigger_rule = $2::int, parents_open = $3::int, parents_succeeded = 0,"
                        + " parents_failed = 0, parents_skipped = 0, visible_at = " + DependencyStatement.WAITING_TIME
                        + " WHERE execution_id = $1",
                child,
                rule,
                parents.length);
        for (var parent : parents) {
            db.execute(
                    "INSERT INTO job_edges VALUES ($1, $2, $3, false)",
                    child,
                    parent,
                    rule == DependencyStatement.RUN ? "" : "upload");
        }
    }

    @Test
    void itWaitsForItsParents() {
        var open = rows.live().dueIn(HOUR).insert();
        var ended = rows.finished().insert();
        var id = rows.live().insert();
        waits(id, 1, open, ended);

        var reason = bed.first(id, "waiting_for_parents");

        assertThat(reason.path("parents")).hasSize(1);
        var parent = reason.path("parents").path(0);
        assertThat(parent.path("job_id").asText()).isEqualTo(PublicId.JOB.show(open));
        assertThat(parent.path("name").asText()).isEqualTo("upload");
        assertThat(parent.path("status").asText()).isEqualTo("PENDING");
        assertThat(reason.path("message").asText()).contains("1 parent: upload (PENDING)");
        assertThat(bed.explain(id).status()).isEqualTo(ExecutionStatus.WAITING);
        assertThat(bed.claim()).isEmpty();
    }

    @Test
    void aRunOfAWorkflowWaitsForItsJobs() {
        var open = rows.live().insert();
        var id = rows.live().insert();
        waits(id, DependencyStatement.RUN, open);

        assertThat(bed.first(id, "waiting_for_jobs")
                        .path("parents")
                        .path(0)
                        .path("job_id")
                        .asText())
                .isEqualTo(PublicId.JOB.show(open));
        assertThat(bed.explain(id).status()).isEqualTo(ExecutionStatus.RUNNING);
    }

    @Test
    void itsTriggerRuleCannotHold() {
        var id = rows.live().insert();
        waits(id, -1);

        assertThat(bed.codes(id)).containsExactly("skipping");
    }

    @ParameterizedTest
    @CsvSource({"callback, callback", "poll, polled", "approval, person"})
    void itIsDeferred(String mode, String word) {
        var id = rows.live().dueIn(HOUR).attempt(1).insert();
        db.execute("UPDATE exec_live SET deferred = true, started_at = now()");
        db.execute(
                "INSERT INTO deferrals (execution_id, attempt, mode, poll_every_ms, poll_url, since, deadline,"
                        + " heartbeat_ms, heard_at) VALUES ($1, 1, $2::text, CASE WHEN $2::text = 'poll' THEN 5000 END,"
                        + " CASE WHEN $2::text = 'poll' THEN 'http://localhost/' END, now(),"
                        + " now() + interval '2 hours', 60000, now())",
                id,
                mode);

        var reason = bed.first(id, "deferred");

        assertThat(bed.codes(id)).containsExactly("deferred");
        assertThat(reason.path("mode").asText()).isEqualTo(mode);
        assertThat(reason.path("message").asText()).contains(word);
        isAbout(time(reason, "until"), in(HOUR.multipliedBy(2)));
        isAbout(time(reason, "silent_at"), in(Duration.ofMinutes(1)));
        assertThat(reason.has("next_look_at")).isEqualTo(mode.equals("poll"));
    }

    @Test
    void workersWereLostOverItAgainAndAgain() {
        var id = rows.live().attempt(3).rescues(2).dueIn(Duration.ofSeconds(30)).insert();
        db.execute("UPDATE exec_live SET run_at = now() - interval '1 hour'");

        assertThat(bed.first(id, "poisoned").path("workers_lost").asInt()).isEqualTo(2);
        var lost = rows.live()
                .rescues(3)
                .attempt(4)
                .leased(UUID.randomUUID(), HOUR.negated())
                .insert();
        assertThat(bed.first(lost, "lease_lost").path("message").asText()).contains("ends the execution");
    }

    @Test
    void itHasExpired() {
        var id = rows.live().insert();
        db.execute("UPDATE queues SET paused_at = now()");
        db.execute("UPDATE exec_live SET expires_at = now() - interval '1 second'");

        assertThat(bed.codes(id)).containsExactly("expiring");
        assertThat(await(new ExpiryStore(
                                db.database(),
                                new FlowReleases(db.database(), new DueSignal()),
                                new DependencyReleases(db.database(), new DueSignal()))
                        .expire(10)))
                .isPositive();
        var reason = bed.first(id, "expired");
        assertThat(reason.path("message").asText()).contains("no attempt had begun in time");
        assertThat(bed.explain(id).queue()).isNull();
    }

    @Test
    void itHasSucceeded() {
        var reason = bed.first(rows.finished().insert(), "succeeded");

        isAbout(time(reason, "ended_at"), in(Duration.ofMinutes(-1)));
    }

    @Test
    void itHasFailed() {
        var id = rows.finished().status("FAILED").attempts(3).insert();
        db.execute("UPDATE executions SET error = '{\"type\": \"TIMEOUT\", \"message\": \"No answer.\"}'");

        var reason = bed.first(id, "dead_letter");

        assertThat(reason.path("error").path("type").asText()).isEqualTo("TIMEOUT");
        assertThat(reason.path("message").asText()).contains("3 attempts", "No answer.");
        db.execute("INSERT INTO replays VALUES ($1, $2, now())", id, UUID.randomUUID());
        assertThat(bed.first(id, "failed").path("retried_as").asText()).startsWith("exec_");
        db.execute("DELETE FROM replays");
        db.execute("UPDATE executions SET error = '{\"type\": \"WORKER_LOST\", \"message\": \"4 workers.\"}'");
        assertThat(bed.explain(id).reason()).isEqualTo("poisoned");
    }

    @Test
    void itWasCancelled() {
        var id = rows.live().insert();
        assertThat(await(Stores.cancelling(db.database(), new CancelSignal()).cancel(id, false)))
                .isTrue();
        assertThat(bed.first(id, "cancelled").has("cancelled_by")).isFalse();
        await(new AuditStore(db.database())
                .record(AuditStore.Write.of(
                        "ops", "cancel", "job", PublicId.JOB.show(id), "request", "127.0.0.1", null)));

        assertThat(bed.first(id, "cancelled").path("cancelled_by").asText()).isEqualTo("ops");
    }

    @Test
    void whatWasSupersededSaysThatItsKeyWasTaken() {
        var id = rows.finished().status("SUPERSEDED").attempts(0).insert();

        assertThat(bed.first(id, "superseded").path("message").asText())
                .isEqualTo("Another job took its key before it began.");
    }

    @Test
    void itWasSkipped() {
        var id = rows.finished().status("SKIPPED").attempts(0).insert();
        db.execute(
                "INSERT INTO execution_logs (execution_id, log_id, attempt_number, level, message, logged_at)"
                        + " VALUES ($1, gen_random_uuid(), 0, 'INFO', 'skipped: its trigger rule cannot hold', now())",
                id);

        assertThat(bed.first(id, "skipped").path("message").asText())
                .isEqualTo("It was skipped: its trigger rule cannot hold.");
    }
}
