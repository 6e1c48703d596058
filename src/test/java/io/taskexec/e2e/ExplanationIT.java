package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Explanations of executions that a real worker runs, or leaves. */
@ServerTest(
        env = {"TE_PUBLIC_URL=http://public.invalid", "TE_BREAKER_MIN_ATTEMPTS=3", "TE_BREAKER_OPEN_SEC=600"},
        own = "Its signal of pressure holds back all work.")
class ExplanationIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final AtomicInteger NAMES = new AtomicInteger();

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @BeforeEach
    void clear() {
        receiver.clear();
        receiver.answer(Answer.of(200, "{}"));
    }

    /** @param more members in JSON with single quotes */
    private static String endpoint(String more) {
        var name = "explained-" + NAMES.incrementAndGet();
        var _ = api.create(
                "/endpoints", """
                {'name': '%s', 'type': 'HTTP', 'spec': {'url': '%s', 'method': 'POST'}, %s
                 'retry_policy': {'max_attempts': 3, 'initial_delay_ms': 600000, 'max_delay_ms': 600000}}
                """.formatted(name, receiver.uri("/work"), more).replace('\'', '"'));
        return name;
    }

    private static String job(String endpoint, String more) {
        return api.create("/jobs", """
                        {'endpoint': '%s', %s 'idempotency_key': 'key-%d'}
                        """.formatted(endpoint, more, NAMES.incrementAndGet())
                        .replace('\'', '"'))
                .getString("execution.execution_id");
    }

    private static String now(String endpoint) {
        return job(endpoint, "'trigger': 'IMMEDIATE',");
    }

    private static JsonPath explain(String id) {
        return api.read("/executions/" + id + "/explain");
    }

    /** Waits until this is the first reason. */
    private static JsonPath await(String id, String reason) throws InterruptedException {
        var found = Eventually.await(
                id + " is explained by " + reason,
                BOUND,
                () -> explain(id),
                explanation -> reason.equals(explanation.getString("reason")));
        assertThat(found.getString("message")).isEqualTo(found.getString("reasons[0].message"));
        return found;
    }

    private static void succeeds(String id) throws InterruptedException {
        assertThat(api.ended(id).getString("status")).isEqualTo("SUCCESS");
        assertThat(explain(id).getString("reason")).isEqualTo("succeeded");
    }

    @Test
    void anUnknownExecutionIsNotFoundAndAKeyIsNeeded() {
        expectError(404, "EXECUTION_NOT_FOUND", api.get("/executions/exec_00000000000000000000000000000000/explain"));
        expectError(404, "EXECUTION_NOT_FOUND", api.get("/executions/nonsense/explain"));
        var id = job(endpoint(""), "'trigger': 'DELAYED', 'delay': 'PT1H',");
        expectError(401, "UNAUTHORIZED", api.bare().get("/executions/" + id + "/explain"));
        var key = api.create("/keys", Map.of("name", "reader", "scopes", List.of("read")))
                .getString("key");

        var read = new Api(api.port(), key).read("/executions/" + id + "/explain");

        assertThat(read.getString("reason")).isEqualTo("not_due");
        assertThat(read.getString("status")).isEqualTo("PENDING");
        assertThat(Instant.parse(read.getString("reasons[0].until"))).isAfter(Instant.now());
    }

    @Test
    void aPausedQueueNamesWhoPausedIt() throws Exception {
        var _ = api.create("/queues", Map.of("name", "paused"));
        var until = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS);
        assertThat(api.post("/queues/paused/pause", Map.of("until", until.toString(), "reason", "disk is full"))
                        .statusCode())
                .isEqualTo(200);
        var id = job(endpoint(""), "'trigger': 'IMMEDIATE', 'queue': 'paused',");

        var found = await(id, "queue_paused");

        assertThat(found.getString("queue")).isEqualTo("paused");
        assertThat(found.getString("reasons[0].paused_by")).isEqualTo("bootstrap");
        assertThat(found.getString("reasons[0].pause_reason")).isEqualTo("disk is full");
        assertThat(Instant.parse(found.getString("reasons[0].until"))).isEqualTo(until);
        assertThat(receiver.requests()).isEmpty();
        var _ = api.act("/queues/paused/resume");
        succeeds(id);
    }

    @Test
    void theHolderOfThePlaceOfItsFlowKeyIsNamed() throws Exception {
        var held = new CompletableFuture<Void>();
        receiver.answer(_ -> Answer.of(200, "{}").after(held));
        var endpoint = endpoint("'flow': {'max_concurrency': 1},");
        var holder = now(endpoint);
        var _ = await(holder, "running");
        var id = now(endpoint);

        // Before a claim has parked it, it has no place in a line.
        var found = Eventually.await(
                "its place is known",
                BOUND,
                () -> explain(id),
                explanation -> explanation.getString("reasons[0].position") != null);

        assertThat(found.getString("reason")).isEqualTo("key_at_cap");
        assertThat(found.<String>getList("reasons[0].held_by")).containsExactly(holder);
        assertThat(found.getInt("reasons[0].limit")).isEqualTo(1);
        assertThat(found.getInt("reasons[0].position")).isEqualTo(1);
        held.complete(null);
        succeeds(id);
    }

    @Test
    void aRateLimitSaysWhenItLetsItBegin() throws Exception {
        var endpoint = endpoint("'flow': {'rate': {'limit': 1, 'per': 'PT1H'}},");
        succeeds(now(endpoint));
        var id = now(endpoint);
        // Before a claim has parked it, it has no place in a line.
        var found = Eventually.await(
                "its start is known",
                BOUND,
                () -> explain(id),
                explanation -> explanation.getString("reasons[0].estimated_start") != null);

        assertThat(found.getString("reason")).isEqualTo("rate_limited");
        assertThat(found.getString("reasons[0].scope")).isEqualTo("key");
        assertThat(Instant.parse(found.getString("reasons[0].estimated_start")))
                .isBetween(Instant.now().plusSeconds(3_000), Instant.now().plusSeconds(3_700));
    }

    @Test
    void aFullQueueNamesWhatRuns() throws Exception {
        var _ = api.create("/queues", Map.of("name", "narrow", "max_concurrency", 1));
        var held = new CompletableFuture<Void>();
        receiver.answer(_ -> Answer.of(200, "{}").after(held));
        var endpoint = endpoint("'queue': 'narrow',");
        var holder = now(endpoint);
        var _ = await(holder, "running");
        var id = now(endpoint);

        assertThat(await(id, "queue_at_cap").<String>getList("reasons[0].held_by"))
                .containsExactly(holder);
        held.complete(null);
        succeeds(id);
    }

    @Test
    void anOpenBreakerIsNamedWithItsTimes() throws Exception {
        receiver.answer(Answer.of(500, "{}"));
        var endpoint = endpoint("");
        var failed = now(endpoint);
        for (var i = 0; i < 5; i++) {
            var _ = now(endpoint);
        }
        Eventually.await(
                "the breaker opens",
                BOUND,
                () -> "OPEN"
                        .equals(api.read("/endpoints/" + endpoint + "/breaker").getString("state")));
        var retrying = await(failed, "retrying");
        assertThat(retrying.getString("reasons[0].error.type")).isEqualTo("HTTP_ERROR");
        var id = now(endpoint);

        var found = await(id, "breaker_open");

        assertThat(found.getString("reasons[0].breaker.state")).isEqualTo("OPEN");
        assertThat(Instant.parse(found.getString("reasons[0].breaker.opened_at")))
                .isBefore(Instant.now());
        assertThat(Instant.parse(found.getString("reasons[0].until")))
                .isAfter(Instant.now().plusSeconds(300));
        assertThat(explain(id).getString("status")).isIn("PENDING", "QUEUED", "RETRYING");
    }

    @Test
    void parentsAreNamed() throws Exception {
        var endpoint = endpoint("");
        var parent = job(endpoint, "'trigger': 'DELAYED', 'delay': 'PT1H',").replace("exec_", "job_");
        var id = job(endpoint, "'trigger': 'IMMEDIATE', 'depends_on': ['%s'],".formatted(parent));

        var found = await(id, "waiting_for_parents");

        assertThat(found.<String>getList("reasons[0].parents.job_id")).containsExactly(parent);
        assertThat(found.getString("reasons[0].parents[0].status")).isEqualTo("PENDING");
        var _ = api.act("/jobs/" + parent + "/cancel");
        assertThat(api.ended(id).getString("status")).isEqualTo("SKIPPED");
        assertThat(explain(id).getString("message")).startsWith("It was skipped: its trigger rule cannot hold");
        var cancelled = explain(parent.replace("job_", "exec_"));
        assertThat(cancelled.getString("reason")).isEqualTo("cancelled");
        assertThat(cancelled.getString("reasons[0].cancelled_by")).isEqualTo("bootstrap");
    }

    @Test
    void aDeferralSaysForWhatItWaits() throws Exception {
        receiver.answer(_ -> Answer.of(202, "{}").with("Taskexec-Defer", "callback; timeout=600"));
        var id = now(endpoint("'completion': {'modes': ['callback'], 'timeout': 'PT1H'},"));

        var found = await(id, "deferred");

        assertThat(found.getString("reasons[0].mode")).isEqualTo("callback");
        assertThat(Instant.parse(found.getString("reasons[0].until")))
                .isAfter(Instant.now().plusSeconds(300));
    }

    @Test
    void pressureIsNamedWithItsSource() throws Exception {
        var endpoint = endpoint("");
        assertThat(api.put("/pressure/billing", Map.of("value", 0.9, "ttl", "PT1H"))
                        .statusCode())
                .isEqualTo(200);
        try {
            Eventually.await("low priorities wait", BOUND, () -> {
                var probe = job(endpoint, "'trigger': 'IMMEDIATE', 'priority': 7,");
                return explain(probe).getString("status").equals("QUEUED")
                        && "pressure".equals(explain(probe).getString("reason"));
            });
            var id = now(endpoint);
            var found = await(id, "pressure");
            assertThat(found.getString("reasons[0].pressure.source")).isEqualTo("billing");
            assertThat(found.getInt("reasons[0].least_urgent")).isEqualTo(2);
            assertThat(api.delete("/pressure/billing").statusCode()).isEqualTo(204);
            succeeds(id);
        } finally {
            var _ = api.delete("/pressure/billing");
        }
    }

    @Test
    void aDeadLetterSaysWhyUntilItIsReplayed() throws Exception {
        receiver.answer(Answer.of(404, "{}"));
        var id = now(endpoint(""));
        assertThat(api.ended(id).getString("status")).isEqualTo("FAILED");

        assertThat(explain(id).getString("reason")).isEqualTo("dead_letter");
        assertThat(explain(id).getString("reasons[0].error.type")).isEqualTo("HTTP_ERROR");
        var _ = api.create("/executions/" + id + "/retry", Map.of());
        assertThat(explain(id).getString("reason")).isEqualTo("failed");
    }
}
