package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Executions that do not begin in time end as EXPIRED. */
@ServerTest(env = "TE_EVENTS_ENABLED=true", own = "It looks at the metrics.")
class ExpiryIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int PAUSE_HOLDS_AFTER_MS = 200;
    private static final String EXECUTIONS = "taskexec_executions_total{outcome=\"expired\",} ";
    private static final String BEFORE_FIRST_ATTEMPT = "taskexec_expired_total{before=\"first_attempt\",} ";

    @Inject
    private static ServerDb db;

    @Inject
    private static Receiver receiver;

    @Inject
    private static Program program;

    @Inject
    private static Api api;

    /** An endpoint with a queue of its own. */
    private static void endpoint(String name, Map<String, ?> retryPolicy, Map<String, ?> more) {
        var endpoint = new HashMap<>(Api.posting(name, receiver.uri("/" + name), retryPolicy));
        endpoint.put("queue", name);
        endpoint.putAll(more);
        var _ = api.create("/endpoints", endpoint);
    }

    /** Pauses a queue, and waits for as long after that as one of its executions may still begin. */
    private static void pause(String queue) {
        var _ = api.act("/queues/" + queue + "/pause");
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_HOLDS_AFTER_MS));
    }

    private static JsonPath job(String endpoint, String key, Map<String, ?> more) {
        var job = new HashMap<String, Object>(Api.immediateJob(endpoint, key));
        job.putAll(more);
        return api.create("/jobs", job);
    }

    private static long requests(String endpoint) {
        return receiver.requests().stream()
                .filter(request -> request.path().equals("/" + endpoint))
                .count();
    }

    @Test
    void aJobOfAPausedQueueExpiresAndItsReplayDoesNot() throws Exception {
        endpoint("told", Map.of(), Map.of());
        endpoint("paused", Map.of(), Map.of("on_failure", "told"));
        pause("paused");
        var ended = count(EXECUTIONS);
        var expired = count(BEFORE_FIRST_ATTEMPT);

        var byTtl = job("paused", "ttl", Map.of("ttl", "PT0.5S"));
        var byTime = job("paused", "time", Map.of("expires_at", soon().toString()));
        assertThat(byTtl.getString("ttl")).isEqualTo("PT0.5S");
        assertThat(Instant.parse(byTime.getString("expires_at")))
                .isAfter(Instant.now().minusSeconds(60));

        for (var job : List.of(byTtl, byTime)) {
            var execution = api.ended(job.getString("execution.execution_id"));
            assertThat(execution.getString("status")).isEqualTo("EXPIRED");
            assertThat(execution.getInt("attempt_count")).isZero();
            assertThat(execution.getMap("$")).doesNotContainKeys("started_at", "output", "error");
            Eventually.await("its event", BOUND, () -> isTold(execution.getString("execution_id")));
            assertThat(api.read("/jobs/" + job.getString("job_id")).getString("status"))
                    .isEqualTo("RETIRED");
        }
        var id = byTtl.getString("execution.execution_id");
        assertThat(api.get("/executions/" + id + "/logs").asString()).contains("expired: no attempt had begun in time");
        assertThat(api.read("/executions?status=EXPIRED&endpoint=paused").getList("items"))
                .hasSize(2);
        assertThat(api.read("/jobs/" + byTtl.getString("job_id") + "/status").getInt("stats.last_24h.expired"))
                .isEqualTo(1);
        Eventually.await(
                "the metrics",
                BOUND,
                () -> count(EXECUTIONS) >= ended + 2 && count(BEFORE_FIRST_ATTEMPT) >= expired + 2);

        var _ = api.act("/queues/paused/resume");
        receiver.answer(_ -> Answer.of(200, "{}"));
        var replay = api.create("/executions/" + byTime.getString("execution.execution_id") + "/retry", "");
        assertThat(api.ended(replay.getString("execution_id")).getString("status"))
                .isEqualTo("SUCCESS");
        assertThat(requests("paused")).as("nothing else was delivered").isEqualTo(1);
        assertThat(requests("told")).as("no callback").isZero();
    }

    private static Instant soon() {
        return Instant.now().plusSeconds(5).truncatedTo(ChronoUnit.MILLIS);
    }

    /** Whether there is an event of its end, sent or not. */
    private static boolean isTold(String executionId) {
        return db.number("SELECT count(*) FROM (SELECT execution_id, kind FROM event_outbox"
                        + " UNION ALL SELECT execution_id, kind FROM event_log) AS events"
                        + " WHERE kind = 'EXPIRED' AND execution_id = '" + Api.uuid(executionId) + "'")
                > 0;
    }

    /** The value of a counter, zero while nothing was counted. */
    private static double count(String counter) {
        try {
            return program.manage("/q/metrics", "text/plain; version=0.0.4")
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(counter))
                    .mapToDouble(line -> Double.parseDouble(line.substring(counter.length())))
                    .sum();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theTicksOfAScheduleExpireAfterItsTtl() throws Exception {
        endpoint("ticks", Map.of(), Map.of());
        pause("ticks");
        var job = api.create(
                "/jobs", Map.of("endpoint", "ticks", "trigger", "INTERVAL", "every", "PT1S", "ttl", "PT0.2S"));
        assertThat(job.getString("ttl")).isEqualTo("PT0.2S");
        var executions = "/jobs/" + job.getString("job_id") + "/executions?status=EXPIRED";

        Eventually.await(
                "expired ticks",
                BOUND,
                () -> api.read(executions).getList("items").size() >= 2);

        var patched = api.patch("/jobs/" + job.getString("job_id"), Map.of("ttl", "PT2H"));
        assertThat(patched.jsonPath().getString("ttl")).isEqualTo("PT2H");
        assertThat(patched.jsonPath().getInt("version")).isEqualTo(2);
        var next = patched.jsonPath().getString("job_id");
        assertThat(api.patch("/jobs/" + next, Map.of("ttl", "PT120M"))
                        .jsonPath()
                        .getString("job_id"))
                .as("the same duration")
                .isEqualTo(next);
        assertThat(api.patch("/jobs/" + next, "{\"ttl\": null}").jsonPath().getMap("$"))
                .doesNotContainKey("ttl");
        assertThat(requests("ticks")).isZero();
    }

    @Test
    void whatStatesNoTimeHasThatOfItsQueue() throws Exception {
        endpoint("brief", Map.of(), Map.of());
        pause("brief");
        var own = job("brief", "before", Map.of());
        assertThat(own.getMap("$")).doesNotContainKey("ttl");
        assertThat(api.put("/queues/brief", Map.of("ttl", "PT0.3S")).statusCode())
                .isEqualTo(200);

        var inherited = job("brief", "after", Map.of());
        var longer = job("brief", "longer", Map.of("ttl", "PT1H"));
        var timed = job("brief", "timed", Map.of("expires_at", "2099-01-01T00:00:00Z"));
        var schedule = api.create("/jobs", Map.of("endpoint", "brief", "trigger", "INTERVAL", "every", "PT1H"));
        var fired = api.create("/jobs/" + schedule.getString("job_id") + "/trigger", "")
                .getString("execution_id");

        assertThat(inherited.getString("ttl")).isEqualTo("PT0.3S");
        assertThat(timed.getMap("$")).doesNotContainKey("ttl");
        assertThat(schedule.getMap("$")).doesNotContainKey("ttl");
        for (var id : List.of(inherited.getString("execution.execution_id"), fired)) {
            assertThat(api.ended(id).getString("status")).isEqualTo("EXPIRED");
        }
        for (var job : List.of(own, longer, timed)) {
            assertThat(api.read("/executions/" + job.getString("execution.execution_id"))
                            .getString("status"))
                    .isEqualTo("QUEUED");
        }
        assertThat(requests("brief")).isZero();
    }

    @Test
    void theDeadlineEndsRetries() throws Exception {
        receiver.answer(request -> Answer.of(request.path().equals("/failing") ? 503 : 200, "{}"));
        endpoint("failing", Map.of("max_attempts", 50, "initial_delay_ms", 600_000), Map.of());
        var deadline = Instant.now().plusSeconds(60).truncatedTo(ChronoUnit.MILLIS);
        var job = job("failing", "late", Map.of("deadline", deadline.toString(), "ttl", "PT30S"));
        assertThat(job.getString("deadline")).isEqualTo(deadline.toString());

        var ended = api.ended(job.getString("execution.execution_id"));

        assertThat(ended.getString("status")).isEqualTo("EXPIRED");
        assertThat(ended.getInt("attempt_count")).isEqualTo(1);
        assertThat(api.attemptStatuses(ended.getString("execution_id"))).containsExactly("FAILED");
        assertThat(requests("failing")).isEqualTo(1);
        var bulk = api.post(
                "/executions/bulk",
                Map.of(
                        "action",
                        "retry",
                        "filter",
                        Map.of("status", "EXPIRED", "endpoint", "failing"),
                        "dry_run",
                        true));
        assertThat(bulk.jsonPath().getInt("count")).isEqualTo(1);
    }

    @Test
    void theSameRequestWithTheSameKeyIsOneJob() {
        endpoint("same", Map.of(), Map.of());
        pause("same");
        var expiresAt = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.SECONDS);
        var job = new HashMap<String, Object>(Api.immediateJob("same", "one"));
        job.put("expires_at", expiresAt.toString());
        var first = api.post("/jobs", job);
        assertThat(first.statusCode()).isEqualTo(201);

        job.put("expires_at", expiresAt.toString().replace("Z", "+00:00"));
        var second = api.post("/jobs", job);
        job.put("expires_at", expiresAt.plusSeconds(1).toString());
        var third = api.post("/jobs", job);

        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(second.<String>path("job_id")).isEqualTo(first.path("job_id"));
        expectError(422, "IDEMPOTENCY_KEY_REUSED", third);
    }

    @Test
    void aRequestThatIsRepeatedAfterItHasExpiredFindsItsJob() throws Exception {
        endpoint("repeated", Map.of(), Map.of());
        pause("repeated");
        var job = new HashMap<String, Object>(Api.immediateJob("repeated", "again"));
        job.put("expires_at", soon().toString());
        var first = api.create("/jobs", job);
        var _ = api.ended(first.getString("execution.execution_id"));

        var second = api.post("/jobs", job);
        job.put("idempotency_key", "another");
        var other = api.post("/jobs", job);

        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(second.<String>path("job_id")).isEqualTo(first.getString("job_id"));
        expectError(400, "INVALID_REQUEST", other);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "trigger": "IMMEDIATE", "ttl": "PT0S" | /ttl
            "trigger": "IMMEDIATE", "ttl": "-PT5M" | /ttl
            "trigger": "IMMEDIATE", "ttl": "PT0.0001S" | /ttl
            "trigger": "IMMEDIATE", "ttl": 5 | /ttl
            "trigger": "IMMEDIATE", "ttl": "PT100000H" | /ttl
            "trigger": "IMMEDIATE", "ttl": "PT5M", "expires_at": "2099-01-01T00:00:00Z" | /expires_at
            "trigger": "IMMEDIATE", "expires_at": "2020-01-01T00:00:00Z" | /expires_at
            "trigger": "IMMEDIATE", "expires_at": "tomorrow" | /expires_at
            "trigger": "IMMEDIATE", "deadline": "2020-01-01T00:00:00Z" | /deadline
            "trigger": "DELAYED", "run_at": "2030-01-01T00:00:00Z", "expires_at": "2030-01-01T00:00:00Z" | /expires_at
            "trigger": "DELAYED", "run_at": "2030-01-01T00:00:00Z", "deadline": "2029-01-01T00:00:00Z" | /deadline
            "trigger": "CRON", "cron": "@daily", "timezone": "UTC", "expires_at": "2099-01-01T00:00:00Z" | /expires_at
            "trigger": "INTERVAL", "every": "PT1H", "deadline": "2099-01-01T00:00:00Z" | /deadline
            "trigger": "INTERVAL", "every": "PT1H", "jitter": "PT30S", "ttl": "PT30S" | /ttl
            """)
    void whatCannotBeIsRefusedByItsFieldAndNothingIsStored(String fields, String pointer) {
        var response = api.post("/jobs", "{\"endpoint\": \"none\", \"idempotency_key\": \"bad\", " + fields + "}");

        assertThat(expectError(400, "INVALID_REQUEST", response).<List<String>>path("error.details.pointer"))
                .containsExactly(pointer);
        assertThat(db.number("SELECT count(*) FROM jobs WHERE endpoint = 'none'"))
                .isZero();
    }

    @Test
    void aScheduleIsToldThatItTakesATtl() {
        var response = api.post("/jobs", """
                {"endpoint": "none", "trigger": "INTERVAL", "every": "PT1H", "expires_at": "2099-01-01T00:00:00Z"}
                """);

        assertThat(response.asString())
                .contains("is only for the triggers IMMEDIATE and DELAYED; INTERVAL takes 'ttl'");
    }
}
