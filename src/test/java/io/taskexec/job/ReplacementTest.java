package io.taskexec.job;

import static io.taskexec.testing.TestDb.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.job.JobCreation.Outcome;
import io.taskexec.model.job.Job;
import io.taskexec.request.ErrorCode;
import io.taskexec.testing.HeldTransaction;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests with keys that other jobs have, on a real database. */
class ReplacementTest {
    private static final String REPLACE = "{'endpoint': 'welcome', 'trigger': 'DELAYED', 'delay': 'PT%dS',"
            + " 'idempotency_key': '%s', 'on_conflict': 'replace', 'input': {'n': %d}}";

    @RegisterExtension
    private static final JobBed bed = new JobBed();

    private static Outcome.OneShot replaced(String body) {
        return (Outcome.OneShot) bed.create(body);
    }

    private static Job read(UUID id) {
        var job = await(bed.jobs.find(id));
        return requireNonNull(job);
    }

    private static String status(UUID id) {
        return requireNonNull(read(id).execution()).status().name();
    }

    @Test
    void theNewJobTakesThePlaceOfOneThatHasNotBegun() {
        var first = replaced(REPLACE.formatted(60, "a", 1));
        var second = replaced(REPLACE.formatted(60, "a", 2));

        assertThat(first.superseded()).isNull();
        assertThat(second.superseded()).isEqualTo(first.id());
        assertThat(status(first.id())).isEqualTo("SUPERSEDED");
        assertThat(read(first.id()).replacedById()).isEqualTo(second.id());
        assertThat(status(second.id())).isEqualTo("PENDING");
        assertThat(bed.db.number("SELECT count(*) FROM exec_live")).isEqualTo(1);
        assertThat(bed.db.number("SELECT count(*) FROM idempotency_keys WHERE job_id = $1", second.id()))
                .isEqualTo(1);
    }

    @Test
    void aJobThatHasBegunRunsOnBesideTheNewOne() {
        var first = replaced(REPLACE.formatted(60, "a", 1));
        bed.db.execute(
                "UPDATE exec_live SET attempt = 1, lease_token = 1, worker_id = $1, started_at = now(),"
                        + " visible_at = now() + interval '1 minute'",
                bed.rows.worker(Duration.ZERO));

        var second = replaced(REPLACE.formatted(60, "a", 2));

        assertThat(second.superseded()).isNull();
        assertThat(status(first.id())).isEqualTo("RUNNING");
        assertThat(bed.db.number("SELECT count(*) FROM exec_live")).isEqualTo(2);
        assertThat(replaced(REPLACE.formatted(60, "a", 3)).superseded()).isEqualTo(second.id());
    }

    @Test
    void noJobIsPutOffLongerThanItMay() {
        var body = REPLACE.replace("'input'", "'max_wait': 'PT100S', 'input'");
        var first = replaced(body.formatted(300, "a", 1));
        assertThat(delay(first)).isBetween(90L, 100L);

        bed.db.execute("UPDATE idempotency_keys SET created_at = created_at - interval '70 seconds'");
        assertThat(delay(replaced(body.formatted(60, "a", 2)))).isBetween(20L, 30L);
        assertThat(delay(replaced(body.formatted(10, "a", 3)))).isBetween(1L, 10L);
        var fourth = replaced(body.formatted(60, "a", 4));
        assertThat(delay(fourth)).isBetween(15L, 30L);

        bed.db.execute("DELETE FROM exec_live");
        assertThat(delay(replaced(body.formatted(60, "a", 5)))).isBetween(50L, 60L);
    }

    private static long delay(Outcome.OneShot outcome) {
        return bed.db.number(
                "SELECT extract(epoch FROM visible_at - now())::bigint FROM exec_live WHERE execution_id = $1",
                outcome.id());
    }

    @Test
    void manyReplacementsOfAFewKeysLeaveOneJobOfEachAndOneHistoryRowForEachOther() {
        var all = IntStream.range(0, 300)
                .mapToObj(n -> bed.creating(REPLACE.formatted(60, "key-" + n % 7, n)))
                .toList();

        var outcomes = await(Uni.join().all(all).andFailFast());

        assertThat(bed.db.number("SELECT count(*) FROM exec_live")).isEqualTo(7);
        assertThat(bed.db.number("SELECT count(*) FROM executions WHERE status = 'SUPERSEDED'"))
                .isEqualTo(293);
        assertThat(outcomes.stream()
                        .map(outcome -> ((Outcome.OneShot) outcome).superseded())
                        .filter(id -> id != null)
                        .distinct())
                .hasSize(293);
        assertThat(bed.db.number("SELECT min((j.input ->> 'n')::int) FROM exec_live l JOIN jobs j USING (job_id)"))
                .isEqualTo(293);
    }

    @Test
    void aClaimThatComesFirstWins() throws InterruptedException {
        var first = replaced(REPLACE.formatted(60, "a", 1));
        try (var claim = HeldTransaction.on(bed.db)) {
            claim.run(
                    "UPDATE exec_live SET attempt = 1, lease_token = 1, worker_id = $1, started_at = now(),"
                            + " visible_at = now() + interval '1 minute'",
                    UUID.randomUUID());

            var replacing = claim.blocks(bed.creating(REPLACE.formatted(60, "a", 2)));
            claim.commit();

            assertThat(((Outcome.OneShot) replacing.join()).superseded()).isNull();
        }
        assertThat(status(first.id())).isEqualTo("RUNNING");
    }

    @Test
    void aKeyThatAnotherRequestTakesAtTheSameTimeIsTakenFromIt() throws InterruptedException {
        var other = UUID.randomUUID();
        try (var creation = HeldTransaction.on(bed.db)) {
            creation.run(
                    "INSERT INTO idempotency_keys (endpoint, idempotency_key, job_id, fingerprint, created_at)"
                            + " VALUES ('welcome', 'a', $1, $1, now())",
                    other);
            creation.run(
                    "INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, created_at)"
                            + " VALUES ($1, 'welcome', 1, 'IMMEDIATE', 4, now())",
                    other);
            creation.run(
                    "INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)"
                            + " VALUES ($1, $1, 4, now(), now(), now())",
                    other);

            var replacing = creation.blocks(bed.creating(REPLACE.formatted(60, "a", 2)));
            creation.commit();

            assertThat(((Outcome.OneShot) replacing.join()).superseded()).isEqualTo(other);
        }
    }

    @Test
    void anotherRequestWithItsKeyIsRefusedWhenItAsksForThat() {
        var body = "{'endpoint': 'welcome', 'trigger': 'IMMEDIATE', 'idempotency_key': 'r', 'on_conflict': 'reject'}";
        assertThat(bed.create(body).created()).isTrue();

        assertThat(bed.refusal(body).code()).isEqualTo(ErrorCode.IDEMPOTENCY_KEY_IN_USE);
        assertThat(bed.create(body.replace("reject", "return")).created()).isFalse();
    }

    @Test
    void aScheduleIsNotReplaced() {
        var _ = bed.create("{'endpoint': 'welcome', 'trigger': 'CRON', 'cron': '0 9 * * *', 'timezone': 'UTC',"
                + " 'idempotency_key': 'a'}");

        assertThat(bed.refusal(REPLACE.formatted(60, "a", 2)).code()).isEqualTo(ErrorCode.IDEMPOTENCY_KEY_IN_USE);
        assertThat(bed.db.number("SELECT count(*) FROM schedules")).isEqualTo(1);
    }

    @Test
    void fieldsThatDoNotGoTogetherAreRefused() {
        assertThat(bed.refusal("{'endpoint': 'welcome', 'trigger': 'IMMEDIATE', 'idempotency_key': 'a',"
                                + " 'max_wait': 'PT1M'}")
                        .code())
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(bed.refusal(REPLACE.replace("'input'", "'max_wait': 'PT0S', 'input'")
                                .formatted(60, "a", 2))
                        .code())
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(bed.refusal(REPLACE.replace("'input'", "'depends_on': ['job_x'], 'input'")
                                .formatted(60, "a", 2))
                        .code())
                .isEqualTo(ErrorCode.INVALID_REQUEST);
    }
}
