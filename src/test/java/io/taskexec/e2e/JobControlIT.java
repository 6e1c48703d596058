package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Schedules, their versions, and everything that is cancelled. */
@ServerTest
class JobControlIT {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final Map<String, Object> NO_RETRY = Map.of("max_attempts", 1);
    private static final String KOLKATA = """
            {"endpoint": "target", "trigger": "CRON", "cron": "0 9 * * MON", "timezone": "Asia/Kolkata", "input": \
            {"n": 1}}
            """;

    @Inject
    private static Receiver receiver;

    @Inject
    private static ServerDb db;

    @Inject
    private static Api api;

    @BeforeAll
    static void register() {
        api.endpoint("target", receiver.uri("/"), NO_RETRY);
    }

    @AfterEach
    void forget() {
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    @Test
    void aCronJobIsShownAsTheBriefShowsIt() {
        var job = api.create("/jobs", KOLKATA);

        assertThat(job.getMap("$"))
                .containsEntry("trigger", "CRON")
                .containsEntry("status", "ACTIVE")
                .containsEntry("version", 1)
                .containsEntry("cron", "0 9 * * MON")
                .containsEntry("timezone", "Asia/Kolkata")
                .doesNotContainKeys("execution", "idempotency_key", "ends_at");
        var next = OffsetDateTime.parse(job.getString("next_run_at"));
        assertThat(next.getOffset().getId()).isEqualTo("+05:30");
        assertThat(next.getHour()).isEqualTo(9);
        assertThat(next.getDayOfWeek()).hasToString("MONDAY");
    }

    @Test
    void aCronJobWithAKeyIsCreatedOnce() {
        var body = KOLKATA.replace("\"input\"", "\"idempotency_key\": \"weekly\", \"input\"");

        var first = api.post("/jobs", body);
        var again = api.post("/jobs", body);
        var other = api.post("/jobs", body.replace("0 9", "0 10"));

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.<String>path("job_id")).isEqualTo(first.path("job_id"));
        assertThat(other.statusCode()).isEqualTo(422);
        assertThat(other.<String>path("error.code")).isEqualTo("IDEMPOTENCY_KEY_REUSED");
    }

    @Test
    void aTickThatIsDueIsDelivered() throws Exception {
        // Once a day, so that a minute that ends during the test brings no second tick.
        var tick = ZonedDateTime.now(ZoneOffset.UTC).minusMinutes(1).truncatedTo(ChronoUnit.MINUTES);
        var job = api.create("/jobs", """
                {"endpoint": "target", "trigger": "CRON", "cron": "%d %d * * *", "timezone": "UTC", "input": {"n": 7}}
                """.formatted(tick.getMinute(), tick.getHour()));
        db.execute("UPDATE schedules SET next_run_at = '%s' WHERE job_id = '%s'"
                .formatted(tick.toInstant(), Api.uuid(job.getString("job_id"))));

        var request = receiver.awaitCount(1, BOUND).getFirst();

        assertThat(request.body()).isEqualTo("{\"n\":7}");
        assertThat(request.header("taskexec-scheduled-for")).endsWith(":00Z");
        var executions = Eventually.await(
                "the tick in the list",
                BOUND,
                () -> api.read("/jobs/" + job.getString("job_id") + "/executions"),
                found -> found.getList("items").size() == 1);
        assertThat(executions.getString("items[0].execution_id")).isEqualTo(request.header("taskexec-execution-id"));
        var _ = api.act("/jobs/" + job.getString("job_id") + "/cancel");
    }

    @Test
    void anUpdateMakesTheNextVersionAndRetiresTheOneBefore() {
        var first = api.create("/jobs", KOLKATA).getString("job_id");

        var second = api.update("/jobs/" + first, """
                {"cron": "0 10 * * MON", "timezone": "Europe/Berlin", "input": {"n": 2}}
                """);

        assertThat(second.getInt("version")).isEqualTo(2);
        assertThat(second.getString("previous_version_id")).isEqualTo(first);
        assertThat(second.getString("timezone")).isEqualTo("Europe/Berlin");
        var old = api.read("/jobs/" + first);
        assertThat(old.getString("status")).isEqualTo("RETIRED");
        assertThat(old.getString("replaced_by_id")).isEqualTo(second.getString("job_id"));
        for (var id : new String[] {first, second.getString("job_id")}) {
            assertThat(api.read("/jobs/" + id + "/versions").<Integer>getList("items.version"))
                    .containsExactly(2, 1);
        }
        expectError(api.put("/jobs/" + first, "{\"cron\":\"0 1 * * *\",\"timezone\":\"UTC\"}"), "JOB_NOT_UPDATABLE");
    }

    @Test
    void aOneShotJobCannotBeUpdated() {
        var job = delayed("not-updatable");

        expectError(
                api.put("/jobs/" + job.getString("job_id"), "{\"cron\":\"0 1 * * *\",\"timezone\":\"UTC\"}"),
                "JOB_NOT_UPDATABLE");
    }

    @Test
    void anExpressionOrAZoneThatDoesNotExistIsAnInvalidCron() {
        for (var body : new String[] {
            KOLKATA.replace("0 9 * * MON", "99 9 * * MON"),
            KOLKATA.replace("0 9 * * MON", "0 0 31 2 *"),
            KOLKATA.replace("Asia/Kolkata", "Asia/Nowhere")
        }) {
            var response = api.post("/jobs", body);
            assertThat(response.statusCode()).isEqualTo(422);
            assertThat(response.<String>path("error.code")).isEqualTo("INVALID_CRON");
        }
    }

    @Test
    void aDelayedJobThatIsCancelledIsNotDelivered() {
        var job = delayed("cancelled");

        var cancelled = api.act("/jobs/" + job.getString("job_id") + "/cancel");

        assertThat(cancelled.getString("status")).isEqualTo("RETIRED");
        assertThat(cancelled.getString("execution.status")).isEqualTo("CANCELLED");
        expectError(api.post("/jobs/" + job.getString("job_id") + "/cancel", ""), "EXECUTION_NOT_CANCELLABLE");
        expectError(
                api.post("/executions/" + job.getString("execution.execution_id") + "/cancel?force=true", ""),
                "EXECUTION_NOT_CANCELLABLE");
    }

    @Test
    void aRunningExecutionIsCancelledOnlyByForceAndItsCallIsAborted() throws InterruptedException {
        var release = new CompletableFuture<Void>();
        receiver.answer(Answer.of(200, "{}").after(release));
        var executionId = api.immediate("target", "running");
        var _ = receiver.awaitCount(1, BOUND);

        expectError(api.post("/executions/" + executionId + "/cancel", ""), "EXECUTION_NOT_CANCELLABLE");
        var cancelled = api.act("/executions/" + executionId + "/cancel?force=true");

        assertThat(cancelled.getString("status")).isEqualTo("CANCELLED");
        assertThat(api.attemptStatuses(executionId)).containsExactly("CANCELLED");
        release.complete(null);
        assertThat(api.ended(executionId).getString("status")).isEqualTo("CANCELLED");
    }

    @Test
    void aReplayRunsTheJobOnceMoreOnTheNewestVersion() throws InterruptedException {
        api.endpoint("replayed", receiver.uri("/old"), NO_RETRY);
        receiver.answer(Answer.of(500, "{}"));
        var failed = api.ended(api.immediate("replayed", "replay"));
        var _ = api.update("/endpoints/replayed", Api.posting("replayed", receiver.uri("/new"), NO_RETRY));
        receiver.answer(Answer.of(200, "{}"));

        var response = api.post("/executions/" + failed.getString("execution_id") + "/retry", "");

        assertThat(response.statusCode()).isEqualTo(201);
        String replayId = response.path("execution_id");
        assertThat(replayId).isNotEqualTo(failed.getString("execution_id"));
        var replayed = api.ended(replayId);
        assertThat(replayed.getString("status")).isEqualTo("SUCCESS");
        assertThat(replayed.getInt("endpoint_version")).isEqualTo(2);
        assertThat(replayed.getString("job_id")).isEqualTo(failed.getString("job_id"));
        assertThat(receiver.requests()).extracting(Received::path).containsExactly("/old", "/new");
        assertThat(api.read("/jobs/" + failed.getString("job_id") + "/executions")
                        .<String>getList("items.execution_id"))
                .containsExactly(replayId, failed.getString("execution_id"));
        expectStatus(failed.getString("job_id"));
    }

    private static void expectStatus(String jobId) {
        var status = api.read("/jobs/" + jobId + "/status");
        assertThat(status.getString("health")).isEqualTo("FAILING");
        assertThat(status.getString("last_execution.status")).isEqualTo("SUCCESS");
        assertThat(status.getInt("active_executions.total")).isZero();
        assertThat(status.getInt("stats.last_24h.total")).isEqualTo(2);
        assertThat(status.getInt("stats.last_24h.succeeded")).isEqualTo(1);
        assertThat(status.getInt("stats.last_24h.failed")).isEqualTo(1);
        assertThat(status.getMap("stats.last_24h"))
                .containsKeys("avg_duration_ms", "p50_duration_ms", "p99_duration_ms");
    }

    @Test
    void jobsAreListedByWhatTheyHaveInCommon() {
        api.endpoint("filtered", receiver.uri("/"), NO_RETRY);
        var mine = api.create("/jobs", KOLKATA.replace("target", "filtered")).getString("job_id");
        var other = api.create("/jobs", KOLKATA.replace("target", "filtered")).getString("job_id");
        var _ = api.act("/jobs/" + other + "/cancel");

        assertThat(ids("endpoint=filtered")).containsExactly(other, mine);
        assertThat(ids("endpoint=filtered&status=ACTIVE")).containsExactly(mine);
        assertThat(ids("endpoint=filtered&status=RETIRED&trigger=CRON")).containsExactly(other);
        assertThat(ids("endpoint=filtered&trigger=DELAYED")).isEmpty();
        assertThat(ids("endpoint=filtered&created_before=2020-01-01T00:00:00Z")).isEmpty();
        assertThat(ids("endpoint=filtered&created_from=2020-01-01T00:00:00Z")).containsExactly(other, mine);
        for (var wrong : new String[] {"status=LATE", "trigger=NEVER", "created_from=yesterday"}) {
            assertThat(api.get("/jobs?" + wrong).statusCode()).as(wrong).isEqualTo(400);
        }
    }

    private static List<String> ids(String query) {
        return api.read("/jobs?" + query).getList("items.job_id");
    }

    @Test
    void theLogSaysWhatBecameOfEachAttempt() throws InterruptedException {
        api.endpoint("logged", receiver.uri("/"), Map.of("max_attempts", 2, "initial_delay_ms", 1));
        receiver.answer(Answer.of(503, "{}"));
        var executionId = api.immediate("logged", "log");
        var _ = api.ended(executionId);

        var log = api.read("/executions/" + executionId + "/logs");

        assertThat(log.<Integer>getList("items.attempt_number")).containsExactly(1, 1, 1, 1, 2, 2, 2, 2);
        assertThat(log.<String>getList("items.level"))
                .containsExactly("INFO", "INFO", "INFO", "WARN", "INFO", "INFO", "INFO", "ERROR");
        assertThat(log.getString("items[0].message")).startsWith("claimed by worker_");
        assertThat(log.getString("items[1].message")).isEqualTo("resolved by version 1 of endpoint 'logged'");
        assertThat(log.getString("items[2].message")).startsWith("dispatched by HTTP: status 503 after ");
        assertThat(log.getString("items[3].message"))
                .startsWith("failed: HTTP_ERROR: ")
                .contains("; next attempt in ");
        assertThat(log.getString("items[7].message")).startsWith("failed permanently: HTTP_ERROR: ");
    }

    @Test
    void whatHasNotEndedCannotBeReplayed() {
        var job = delayed("not-ended");

        expectError(api.post("/executions/" + job.getString("execution.execution_id") + "/retry", ""), "CONFLICT");
    }

    @Test
    void theStatusOfAScheduleShowsItsTicks() {
        var job = api.create("/jobs", KOLKATA);

        var status = api.read("/jobs/" + job.getString("job_id") + "/status");

        assertThat(status.getString("health")).isEqualTo("IDLE");
        assertThat(status.getString("cron.expression")).isEqualTo("0 9 * * MON");
        assertThat(status.getString("cron.next_run_at")).isEqualTo(job.getString("next_run_at"));
        assertThat(status.getMap("$")).doesNotContainKey("last_execution");
    }

    private static JsonPath delayed(String key) {
        return api.create("/jobs", """
                {"endpoint": "target", "trigger": "DELAYED", "delay": "PT1H", "idempotency_key": "%s", "input": {"n": \
                1}}
                """.formatted(key));
    }

    private static void expectError(Response response, String code) {
        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(response.<String>path("error.code")).isEqualTo(code);
    }
}
