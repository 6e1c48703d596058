package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A job is delivered when it is due, as its endpoint, config and secrets say. */
class JobDeliveryIT {
    private static final Duration BOUND = Duration.ofSeconds(20);

    /** A delayed job is claimed within milliseconds of its time; this is for a machine that is busy. */
    private static final Duration LATE = Duration.ofSeconds(15);

    private static final Map<String, Object> QUICK_RETRIES =
            Map.of("max_attempts", 3, "backoff", "fixed", "initial_delay_ms", 1, "max_delay_ms", 1);
    private static final Map<String, Object> NO_RETRY = Map.of("max_attempts", 1);

    private static final Receiver receiver = new Receiver();
    // As in production, where servers may not change the schema.
    private static final Program program = Program.serving(
                    ServerDb.fresh(JobDeliveryIT.class).forRoleOfServers())
            .without("TE_MIGRATE_AT_START")
            .start();
    private static final Api api = program.api();

    @BeforeAll
    static void awaitReady() throws InterruptedException {
        program.awaitReady();
    }

    @AfterAll
    static void stop() {
        program.close();
        receiver.close();
    }

    @AfterEach
    void forget() {
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    @Test
    void theWelcomeEmailOfTheBriefIsDelivered() throws InterruptedException {
        setUpWelcomeEmail();
        receiver.answer(Answer.of(202, "{\"message_id\":\"m-1\"}"));

        var response = api.post("/jobs", """
            {
              "endpoint": "send-welcome-email",
              "trigger": "IMMEDIATE",
              "idempotency_key": "order-1234-welcome-email",
              "input": {"user_id": "u_abc", "order_id": "order-1234"}
            }
            """);

        assertThat(response.statusCode()).isEqualTo(201);
        var job = response.jsonPath();
        assertThat(response.header("Location")).endsWith("/jobs/" + job.getString("job_id"));
        checkCreated(job);
        var executionId = job.getString("execution.execution_id");
        checkRequest(
                receiver.awaitCount(1, BOUND).getFirst(), executionId, job.getString("job_id"), job.get("created_at"));
        checkExecution(api.ended(executionId), job.getString("job_id"));
        checkAttempts(executionId);
        var read = api.read("/jobs/" + job.getString("job_id"));
        assertThat(read.getString("status")).isEqualTo("RETIRED");
        assertThat(read.getString("execution.status")).isEqualTo("SUCCESS");
        assertThat(api.read("/jobs/" + job.getString("job_id") + "/executions").<String>getList("items.execution_id"))
                .containsExactly(executionId);
    }

    private static void setUpWelcomeEmail() {
        api.create("/payload-specs", """
            {
              "name": "send-welcome-email-input",
              "schema": {
                "type": "object",
                "properties": {
                  "user_id": { "type": "string", "description": "Target user ID" },
                  "order_id": { "type": "string", "description": "Associated order ID" }
                },
                "required": ["user_id"]
              }
            }
            """);
        api.config("email-service", Map.of("api_base_url", receiver.uri("").toString(), "sender", "noreply@myapp.com"));
        api.secret("email_api_key", "sk-live-abc123");
        api.create("/endpoints", """
            {
              "name": "send-welcome-email",
              "type": "HTTP",
              "payload_spec": "send-welcome-email-input",
              "config": "email-service",
              "spec": {
                "url": "{{config.api_base_url}}/emails/welcome",
                "method": "POST",
                "headers": {
                  "Authorization": "Bearer {{secret.email_api_key}}",
                  "Content-Type": "application/json"
                },
                "body_template": {
                  "user_id": "{{input.user_id}}",
                  "sender": "{{config.sender}}"
                },
                "timeout_ms": 5000,
                "expected_status_codes": [200, 201, 202, 204]
              },
              "retry_policy": {
                "max_attempts": 3,
                "backoff": "exponential",
                "initial_delay_ms": 1000,
                "max_delay_ms": 30000
              }
            }
            """);
    }

    private static void checkCreated(JsonPath job) {
        // endpoint_version, queue, priority and tags are ours, on top of the brief's fields.
        assertThat(job.<String, Object>getMap("$"))
                .containsOnlyKeys(
                        "job_id",
                        "endpoint",
                        "endpoint_type",
                        "endpoint_version",
                        "trigger",
                        "status",
                        "version",
                        "queue",
                        "priority",
                        "tags",
                        "idempotency_key",
                        "input",
                        "execution",
                        "created_at")
                .containsEntry("endpoint", "send-welcome-email")
                .containsEntry("endpoint_type", "HTTP")
                .containsEntry("trigger", "IMMEDIATE")
                .containsEntry("status", "ACTIVE")
                .containsEntry("version", 1)
                .containsEntry("idempotency_key", "order-1234-welcome-email")
                .containsEntry("input", Map.of("user_id", "u_abc", "order_id", "order-1234"));
        assertThat(job.<String, Object>getMap("execution"))
                .containsOnlyKeys("execution_id", "status", "created_at")
                .containsEntry("status", "QUEUED");
        assertThat(job.getString("job_id")).matches("job_[0-9a-f]{32}");
        assertThat(job.getString("execution.execution_id")).matches("exec_[0-9a-f]{32}");
        assertThat(Instant.parse(job.getString("created_at"))).isBeforeOrEqualTo(Instant.now());
    }

    private static void checkRequest(Received request, String executionId, String jobId, String createdAt) {
        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.path()).isEqualTo("/emails/welcome");
        assertThat(request.body()).isEqualTo("{\"user_id\":\"u_abc\",\"sender\":\"noreply@myapp.com\"}");
        assertThat(request.headers())
                .containsEntry("authorization", "Bearer sk-live-abc123")
                .containsEntry("content-type", "application/json")
                .containsEntry("idempotency-key", executionId)
                .containsEntry("taskexec-execution-id", executionId)
                .containsEntry("taskexec-job-id", jobId)
                .containsEntry("taskexec-attempt", "1")
                .containsEntry("taskexec-scheduled-for", createdAt);
        assertThat(request.header("User-Agent")).startsWith("taskexec/");
    }

    private static void checkExecution(JsonPath execution, String jobId) {
        assertThat(execution.<String, Object>getMap("$"))
                .containsEntry("job_id", jobId)
                .containsEntry("endpoint", "send-welcome-email")
                .containsEntry("endpoint_type", "HTTP")
                .containsEntry("status", "SUCCESS")
                .containsEntry("attempt_count", 1)
                .containsEntry("max_attempts", 3)
                .containsEntry(
                        "output",
                        Map.of(
                                "status_code",
                                202,
                                "body",
                                "{\"message_id\":\"m-1\"}",
                                "json",
                                Map.of("message_id", "m-1")))
                .containsKeys("created_at", "run_at", "started_at", "completed_at", "duration_ms")
                .doesNotContainKeys("error", "next_attempt_at");
    }

    private static void checkAttempts(String executionId) {
        var attempts = api.attempts(executionId);
        assertThat(attempts).hasSize(1);
        assertThat(attempts.getFirst())
                .containsEntry("attempt_number", 1)
                .containsEntry("status", "SUCCESS")
                .containsEntry("output", Map.of("status_code", 202, "body", "{\"message_id\":\"m-1\"}"))
                .containsKeys("started_at", "completed_at", "duration_ms")
                .hasEntrySatisfying("worker_id", id -> assertThat((String) id).startsWith("worker_"));
    }

    @Test
    void aPlaceholderKeepsItsTypeAndBecomesTextWithinAText() throws InterruptedException {
        api.create("/endpoints", """
            {
              "name": "types", "type": "HTTP",
              "spec": {
                "url": "%s/{{input.path}}?n={{input.amount}}", "method": "PUT",
                "headers": {"X-Amount": "EUR {{input.amount}}"},
                "body_template": {
                  "number": "{{input.amount}}", "truth": "{{input.yes}}", "nothing": "{{input.none}}",
                  "tree": "{{input.tree}}", "deep": "{{input.tree.list[1].x}}",
                  "text": "n={{input.amount}} tree={{input.tree.list}} yes={{input.yes}}", "fixed": [1, "a"]
                }
              }
            }
            """.formatted(receiver.uri("")));
        api.create("/jobs", """
            {
              "endpoint": "types", "trigger": "IMMEDIATE", "idempotency_key": "types-1",
              "input": {"amount": 12.50, "yes": true, "none": null, "path": "a b/c",
                        "tree": {"list": [1, {"x": "\\"q\\""}]}}
            }
            """);

        var request = receiver.awaitCount(1, BOUND).getFirst();

        assertThat(request.method()).isEqualTo("PUT");
        assertThat(request.path()).isEqualTo("/a%20b%2Fc?n=12.50");
        assertThat(request.header("X-Amount")).isEqualTo("EUR 12.50");
        assertThat(request.body()).isEqualTo("""
                    {"number":12.50,"truth":true,"nothing":null,"tree":{"list":[1,{"x":"\\"q\\""}]},\
                    "deep":"\\"q\\"","text":"n=12.50 tree=[1,{\\"x\\":\\"\\\\\\"q\\\\\\"\\"}] yes=true",\
                    "fixed":[1,"a"]}""");
    }

    @Test
    void aJobDelayedToATimeIsDeliveredThenAndNotEarlier() throws InterruptedException {
        api.endpoint("at-a-time", receiver.uri("/"), NO_RETRY);
        var runAt = Instant.now().plusSeconds(3);

        var job = api.create("/jobs", """
            {"endpoint": "at-a-time", "trigger": "DELAYED", "idempotency_key": "k", "run_at": "%s",
             "input": {"n": 1}}
            """.formatted(runAt));

        assertThat(job.getString("trigger")).isEqualTo("DELAYED");
        assertThat(job.getString("execution.status")).isEqualTo("PENDING");
        assertThat(receiver.awaitCount(1, BOUND).getFirst().arrivedAt()).isBetween(runAt, runAt.plus(LATE));
        var execution = api.ended(job.getString("execution.execution_id"));
        assertThat(execution.getString("status")).isEqualTo("SUCCESS");
    }

    @Test
    void aJobDelayedByADurationIsDeliveredThatLongAfterItsCreation() throws InterruptedException {
        api.endpoint("after-a-while", receiver.uri("/"), NO_RETRY);

        var job = api.create("/jobs", """
            {"endpoint": "after-a-while", "trigger": "DELAYED", "idempotency_key": "k", "delay": "PT0.8S",
             "input": {"n": 1}}
            """);

        var runAt = Instant.parse(job.getString("run_at"));
        assertThat(runAt).isEqualTo(Instant.parse(job.getString("created_at")).plusMillis(800));
        assertThat(receiver.awaitCount(1, BOUND).getFirst().arrivedAt()).isBetween(runAt, runAt.plus(LATE));
    }

    @Test
    void aTimeInThePastIsNow() throws InterruptedException {
        api.endpoint("in-the-past", receiver.uri("/"), NO_RETRY);

        var job = api.create("/jobs", """
            {"endpoint": "in-the-past", "trigger": "DELAYED", "idempotency_key": "k",
             "run_at": "2026-03-15T18:00:00+05:30", "input": {"n": 1}}
            """);

        assertThat(job.getString("run_at")).isEqualTo("2026-03-15T12:30:00Z");
        assertThat(receiver.awaitCount(1, BOUND)).hasSize(1);
    }

    @Test
    void aReceiverOnThisMachineIsBlockedUnlessTheModeIsOpen() throws InterruptedException, IOException {
        var setup = Program.serving(ServerDb.fresh(EgressBlocked.class)).without("TE_EGRESS_MODE");
        var connections = receiver.connections();
        try (var guarded = setup.startReady()) {
            var refused = guarded.api().post("/endpoints", Api.posting("known", receiver.uri("/"), QUICK_RETRIES));
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.<List<String>>path("error.details.pointer")).containsExactly("/spec/url");

            guarded.api().config("local", Map.of("base", receiver.uri("").toString()));
            var unknown = new HashMap<>(Api.posting("loopback", receiver.uri("/"), QUICK_RETRIES));
            unknown.put("config", "local");
            unknown.put("spec", Map.of("url", "{{config.base}}/x", "method", "POST"));
            var _ = guarded.api().create("/endpoints", unknown);
            var executionId = guarded.api().immediate("loopback", "k");

            var execution = guarded.api().ended(executionId);

            assertThat(execution.getString("status")).isEqualTo("FAILED");
            assertThat(execution.getString("error.type")).isEqualTo("EGRESS_BLOCKED");
            assertThat(guarded.api().attemptStatuses(executionId)).containsExactly("FAILED");
            assertThat(guarded.api()
                            .read("/executions/" + executionId + "/logs")
                            .<String>getList("items.message"))
                    .contains("refused before anything was sent: EGRESS_BLOCKED");
            assertThat(guarded.manage("/q/metrics").body())
                    .contains("taskexec_executions_total")
                    .doesNotContain("taskexec_attempt_duration_seconds");
        }
        assertThat(receiver.connections()).isEqualTo(connections);
    }

    /** Names a database. */
    private static final class EgressBlocked {}

    @Test
    void anEndpointsNewVersionIsForFutureJobsOnly() throws InterruptedException {
        api.endpoint("moving", receiver.uri("/old"), NO_RETRY);
        var before = api.create("/jobs", """
            {"endpoint": "moving", "trigger": "DELAYED", "idempotency_key": "before", "delay": "PT0.5S",
             "input": {"n": 1}}
            """);

        var updated = api.update("/endpoints/moving", Api.posting("moving", receiver.uri("/new"), NO_RETRY));
        var after = api.create("/jobs", Api.immediateJob("moving", "after"));

        assertThat(updated.getInt("version")).isEqualTo(2);
        assertThat(before.getInt("endpoint_version")).isEqualTo(1);
        assertThat(after.getInt("endpoint_version")).isEqualTo(2);
        assertThat(receiver.awaitCount(2, BOUND)).extracting(Received::path).containsExactlyInAnyOrder("/old", "/new");
        assertThat(pathOf(before)).isEqualTo("/old");
        assertThat(pathOf(after)).isEqualTo("/new");
    }

    private static String pathOf(JsonPath job) {
        var executionId = job.getString("execution.execution_id");
        return receiver.requests().stream()
                .filter(request -> Objects.equals(request.header("Idempotency-Key"), executionId))
                .map(Received::path)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aConfigsNewValuesReachNewExecutionsAndNotThoseThatHaveBegun() throws InterruptedException {
        api.config("greeting", Map.of("word", "hello"));
        api.create("/endpoints", """
            {"name": "greet", "type": "HTTP", "config": "greeting",
             "spec": {"url": "%s", "method": "POST", "body_template": "{{config.word}}"},
             "retry_policy": {"max_attempts": 2, "initial_delay_ms": 1}}
            """.formatted(receiver.uri("/")));
        var updated = new CompletableFuture<Void>();
        var answers = List.of(Answer.of(503, "").after(updated), Answer.of(200, ""), Answer.of(200, ""))
                .iterator();
        receiver.answer(eachInTurn(answers));

        var begun = api.immediate("greet", "begun");
        var _ = receiver.awaitCount(1, BOUND);
        api.update("/configs/greeting", Map.of("values", Map.of("word", "good morning")));
        updated.complete(null);
        var _ = receiver.awaitCount(2, BOUND);
        var fresh = api.immediate("greet", "fresh");

        assertThat(receiver.awaitCount(3, BOUND))
                .extracting(Received::body)
                .containsExactly("\"hello\"", "\"hello\"", "\"good morning\"");
        assertThat(api.ended(begun).getInt("config_version")).isEqualTo(1);
        assertThat(api.ended(fresh).getInt("config_version")).isEqualTo(2);
    }

    @Test
    void aRotatedSecretReachesTheNextAttempt() throws InterruptedException {
        api.secret("rotating", "first-value");
        api.create("/endpoints", """
            {"name": "rotated", "type": "HTTP",
             "spec": {"url": "%s", "method": "GET", "headers": {"X-Key": "{{secret.rotating}}"}},
             "retry_policy": {"max_attempts": 2, "initial_delay_ms": 1}}
            """.formatted(receiver.uri("/")));
        var rotated = new CompletableFuture<Void>();
        receiver.answer(eachInTurn(
                List.of(Answer.of(503, "").after(rotated), Answer.of(200, "")).iterator()));

        var executionId = api.immediate("rotated", "k");
        var _ = receiver.awaitCount(1, BOUND);
        api.update("/secrets/rotating", Map.of("value", "second-value"));
        rotated.complete(null);

        assertThat(receiver.awaitCount(2, BOUND))
                .extracting(request -> request.header("X-Key"))
                .containsExactly("first-value", "second-value");
        assertThat(api.ended(executionId).getString("status")).isEqualTo("SUCCESS");
    }

    private static Function<Received, Answer> eachInTurn(Iterator<Answer> answers) {
        return _ -> answers.next();
    }

    @Test
    void resultsArePassedOnToTheEndpointsThatAreNamedForThem() throws InterruptedException {
        var _ = api.create("/endpoints", passedOn("told", "/told", Map.of()));
        var _ = api.create("/endpoints", passedOn("telling", "/telling", Map.of("on_success", "told")));
        var _ = api.create("/endpoints", passedOn("failing", "/failing", Map.of("on_failure", "told")));
        receiver.answer(request -> Answer.of(request.path().equals("/failing") ? 400 : 200, "{}"));

        var well = api.immediate("telling", "telling-1");
        assertThat(told().getString("execution_id")).isEqualTo(well);
        receiver.clear();
        var badly = api.immediate("failing", "failing-1");
        var failure = told();

        assertThat(failure.getString("execution_id")).isEqualTo(badly);
        assertThat(failure.getString("status")).isEqualTo("FAILED");
        assertThat(failure.getInt("error.status_code")).isEqualTo(400);
        assertThat(api.post("/endpoints", passedOn("wrong", "/", Map.of("on_success", "nobody")))
                        .asString())
                .contains("ENDPOINT_NOT_FOUND", "/on_success");
        assertThat(api.delete("/endpoints/told").statusCode()).isEqualTo(409);
    }

    private static JsonPath told() throws InterruptedException {
        return new JsonPath(receiver.awaitCount(2, BOUND).get(1).body());
    }

    private static Map<String, Object> passedOn(String name, String path, Map<String, String> callbacks) {
        var endpoint = new HashMap<String, Object>(callbacks);
        endpoint.put("name", name);
        endpoint.put("type", "HTTP");
        endpoint.put(
                "spec",
                Map.of(
                        "url",
                        receiver.uri(path).toString(),
                        "method",
                        "POST",
                        "body_template",
                        name.equals("told")
                                ? Map.of(
                                        "execution_id", "{{input.execution_id}}",
                                        "status", "{{input.status}}",
                                        "error", "{{input.error}}")
                                : Map.of()));
        return endpoint;
    }
}
