package io.taskexec.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.taskexec.client.StubServer.Reply;
import io.taskexec.client.model.Execution;
import io.taskexec.client.model.ExecutionStatus;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobBuilderTest {
    private static final String JOB = """
            {"job_id": "job_1", "endpoint": "resize", "endpoint_type": "WORKER", "trigger": "IMMEDIATE",
             "status": "ACTIVE", "version": 1, "queue": "q", "priority": 1, "tags": [], "new_field": 1,
             "execution": {"execution_id": "exec_1", "status": "QUEUED", "created_at": "2026-11-20T10:41:01.787653Z"},
             "created_at": "2026-11-20T10:41:01.787653Z"}""";

    record Resize(String file, int targetWidth, Instant takenAt) implements Task {}

    private final StubServer server = new StubServer(call -> Reply.of(201, answer(call)));
    private final Taskexec client = server.client();

    private static String answer(StubServer.Call call) {
        if (call.path().equals("/workflows")) {
            return "{\"job_id\": \"job_9\", \"name\": \"post\"}";
        }
        return call.path().startsWith("/executions") ? """
                {"execution_id": "exec_1", "status": "SUCCESS", "output": {"json": {"targetWidth": 7}}}""" : JOB;
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static JsonNode json(String text) {
        try {
            return Json.API.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void aTaskBecomesTheInputOfAJobWithTheNamesThatItHasInJava() {
        var job = client.task(new Resize("a.jpg", 320, Instant.parse("2026-01-02T03:04:05Z")))
                .key("photo-1")
                .priority(1)
                .queue("images")
                .tags("photo", "small")
                .delay(Duration.ofMinutes(5))
                .timeout(Duration.ofSeconds(90))
                .ttl(Duration.ofDays(1))
                .schedule();

        assertThat(server.last().target()).isEqualTo("POST /jobs");
        assertThat(server.last().header("Authorization")).isEqualTo("Bearer secret");
        assertThat(server.last().body()).isEqualTo(json("""
                {"endpoint": "resize",
                 "input": {"file": "a.jpg", "targetWidth": 320, "takenAt": "2026-01-02T03:04:05Z"},
                 "idempotency_key": "photo-1", "priority": 1, "queue": "images", "tags": ["photo", "small"],
                 "delay": "PT5M", "timeout_ms": 90000, "ttl": "PT24H"}"""));
        assertThat(job.jobId()).isEqualTo("job_1");
        assertThat(job.execution()).isNotNull().extracting(Execution::status).isEqualTo(ExecutionStatus.QUEUED);
        assertThat(job.createdAt()).isEqualTo(Instant.parse("2026-11-20T10:41:01.787653Z"));
    }

    @Test
    void aJobWithoutAKeyHasARandomOne() {
        client.job("resize").schedule();
        client.job("resize").schedule();

        assertThat(server.calls())
                .extracting(call -> call.body().path("idempotency_key").asText())
                .doesNotHaveDuplicates()
                .allMatch(key -> key.length() == 36);
    }

    @Test
    void schedulesHaveHelpersForWhatIsUsual() {
        assertThat(List.of(
                        client.job("x").hourlyAt(5),
                        client.job("x").dailyAt(2, 30),
                        client.job("x").weeklyOn(DayOfWeek.MONDAY, 9, 0),
                        client.job("x").weeklyOn(DayOfWeek.SUNDAY, 9, 0),
                        client.job("x").monthlyOn(1, 0, 0)))
                .extracting(job -> job.fields().get("cron"))
                .containsExactly("5 * * * *", "30 2 * * *", "0 9 * * 1", "0 9 * * 0", "0 0 1 * *");
        assertThatThrownBy(() -> client.job("x").dailyAt(24, 0)).hasMessage("The hour must be from 0 to 23: 24");
    }

    @Test
    void aScheduleIsInUtcUnlessItSaysOtherwise() {
        client.job("x").key("k").dailyAt(2, 30).schedule();
        assertThat(server.last().body().path("timezone").asText()).isEqualTo("UTC");

        client.job("x")
                .key("k")
                .dailyAt(2, 30)
                .timezone(ZoneId.of("Europe/Berlin"))
                .schedule();
        assertThat(server.last().body().path("timezone").asText()).isEqualTo("Europe/Berlin");

        client.job("x").key("k").every(Duration.ofMinutes(15)).schedule();
        assertThat(server.last().body()).isEqualTo(json("""
                {"endpoint": "x", "idempotency_key": "k", "every": "PT15M"}"""));
    }

    @Test
    void aJobWaitsForOthersByIdOrByName() {
        var parent = client.job("x").schedule();

        assertThat(client.job("x").dependsOn("job_a", "job_b").fields())
                .containsEntry("depends_on", List.of("job_a", "job_b"));
        client.job("x")
                .key("k")
                .dependsOn("upload", parent)
                .dependsOn("job_a")
                .triggerRule(TriggerRule.ALL_DONE)
                .when("/parents/upload/output/json/ok", true)
                .schedule();
        assertThat(server.last().body()).isEqualTo(json("""
                {"endpoint": "x", "idempotency_key": "k", "depends_on": {"upload": "job_1", "job_a": "job_a"},
                 "trigger_rule": "all_done",
                 "when": {"pointer": "/parents/upload/output/json/ok", "equals": true}}"""));
    }

    @Test
    void fieldsWithoutAMethodAreSetByTheirNames() {
        client.target("https://example.org/x")
                .key("k")
                .set("catch_up", java.util.Map.of("mode", "LATEST"))
                .schedule();

        assertThat(server.last().body()).isEqualTo(json("""
                {"target": {"url": "https://example.org/x"}, "idempotency_key": "k",
                 "catch_up": {"mode": "LATEST"}}"""));
    }

    @Test
    void theRetryPolicyOfAJobIsSetHoweverItIsCreated() {
        for (Consumer<JobBuilder> creation : List.<Consumer<JobBuilder>>of(
                JobBuilder::schedule,
                job -> job.scheduleAndWait(Duration.ofSeconds(1)),
                client.jobs()::create,
                job -> client.jobs().createAndWait(job, Duration.ofSeconds(1)),
                job -> client.jobs().createAll(List.of(job)))) {
            var before = policies();

            creation.accept(client.job("resize").retry(RetryPolicy.never()));

            assertThat(policies()).isEqualTo(before + 1);
        }
        var never = RetryPolicy.never();
        client.workflow("post")
                .job("a", "resize", job -> job.retry(never))
                .job("b", "resize", job -> job.retry(never))
                .start();
        assertThat(policies()).as("once for both").isEqualTo(6);
    }

    @Test
    void aDryRunChangesNoRetryPolicyEither() {
        client.dryRun().jobs().create(client.job("resize").retry(RetryPolicy.never()));

        assertThat(server.calls())
                .filteredOn(call -> !call.method().equals("GET"))
                .extracting(StubServer.Call::query)
                .containsExactly("dry_run=true", "dry_run=true");
    }

    private long policies() {
        return server.calls("PUT /endpoints/resize").stream()
                .filter(call -> call.body().at("/retry_policy/max_attempts").asInt() == 1)
                .count();
    }

    @Test
    void aJobThatCallsAnAddressHasARetryPolicyOfItsOwn() {
        client.target("https://example.org/x")
                .key("k")
                .retry(RetryPolicy.never())
                .schedule();

        assertThat(server.calls()).hasSize(1);
        assertThat(server.last().body()).isEqualTo(json("""
                {"target": {"url": "https://example.org/x", "retry_policy": {"max_attempts": 1}},
                 "idempotency_key": "k"}"""));
    }

    @Test
    void inputsAndResultsMayHaveAMapperOfTheirOwn() {
        var mapper = Json.data().copy().setPropertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE);
        try (var server = new StubServer(call -> Reply.of(200, """
                {"execution_id": "exec_1", "output": {"json": {"target-width": 7}}}"""))) {
            var client = Taskexec.builder()
                    .servers(server.url())
                    .key("k")
                    .mapper(mapper)
                    .build();

            client.workflows().run("post", "k", new Resize("a", 1, Instant.EPOCH));
            assertThat(server.last().body().path("input").has("target-width")).isTrue();

            assertThat(client.executions().get("exec_1").result(Resize.class, client.mapper()))
                    .isNotNull()
                    .extracting(Resize::targetWidth)
                    .isEqualTo(7);
        }
    }

    @Test
    void aResultIsTyped() {
        var execution = client.task(new Resize("a", 1, Instant.EPOCH)).key("k").scheduleAndWait(Duration.ofSeconds(90));

        assertThat(server.calls().get(0).query()).isEqualTo("wait=PT1M");
        assertThat(server.last().path()).isEqualTo("/executions/exec_1");
        assertThat(execution.result(Resize.class))
                .isNotNull()
                .extracting(Resize::targetWidth)
                .isEqualTo(7);
    }

    @Test
    void aWorkflowIsAGraphOfTasks() {
        var created = client.workflow("post")
                .key("post-1")
                .task("upload", new Resize("a", 1, Instant.EPOCH))
                .job("publish", "publish", job -> job.dependsOn("upload").triggerRule(TriggerRule.NONE_FAILED))
                .failFast()
                .deadline(Duration.ofHours(1))
                .start();

        assertThat(created.name()).isEqualTo("post");
        assertThat(server.last().body()).isEqualTo(json("""
                {"name": "post", "idempotency_key": "post-1", "failure_policy": "fail_fast",
                 "deadline": "PT1H", "jobs": {
                 "upload": {"endpoint": "resize",
                  "input": {"file": "a", "targetWidth": 1, "takenAt": "1970-01-01T00:00:00Z"}},
                 "publish": {"endpoint": "publish", "depends_on": ["upload"], "trigger_rule": "none_failed"}}}"""));
    }
}
