package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer is recorded and shown as text when it is JSON with values that we cannot have. */
@ServerTest
class UnreadableAnswersIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String ANSWER = "{\"a\":1e99999999999}";

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @BeforeAll
    static void register() {
        endpoint("told", Map.of(), Map.of("body", "{{input.output.body}}"));
        endpoint("answers", Map.of(), Map.of());
        endpoint("tells", Map.of("on_success", "told"), Map.of());
        endpoint("child", Map.of(), Map.of("body", "{{parents.p.output.body}}"));
        endpoint("needs-json", Map.of(), Map.of("a", "{{parents.p.output.json.a}}"));
    }

    private static void endpoint(String name, Map<String, ?> more, Object body) {
        var endpoint = new HashMap<String, Object>(more);
        var url = receiver.uri("/" + name).toString();
        endpoint.putAll(Map.of(
                "name",
                name,
                "type",
                "HTTP",
                "spec",
                Map.of("url", url, "method", "POST", "body_template", body),
                "retry_policy",
                Map.of("max_attempts", 1)));
        var _ = api.create("/endpoints", endpoint);
    }

    @BeforeEach
    void answer() {
        receiver.clear();
        receiver.answer(Answer.of(200, ANSWER));
    }

    @ParameterizedTest
    @ValueSource(strings = {ANSWER, "[1e-2147483648]", "{\"a\":\"\\u0000\"}", "{\"\\u0000\":\"\\ud800\"}"})
    void itReachesTheEndpointThatIsNamedForIt(String answer) throws InterruptedException {
        receiver.answer(request -> Answer.of(200, request.path().equals("/tells") ? answer : "{}"));

        var ended = api.ended(api.immediate("tells", "tells-" + answer.hashCode()));

        assertThat(ended.getString("status")).isEqualTo("SUCCESS");
        assertThat(ended.getInt("attempt_count")).isEqualTo(1);
        var told = receiver.awaitCount(2, BOUND).getLast();
        assertThat(told.path()).isEqualTo("/told");
        assertThat(JsonPath.from(told.body()).getString("body")).isEqualTo(answer);
    }

    @Test
    void everyListAndViewShowsItsText() throws InterruptedException {
        var job = api.post("/jobs?wait=PT20S", Api.immediateJob("answers", "shown"));
        assertThat(job.statusCode()).as(job.asString()).isEqualTo(201);
        var id = job.<String>path("execution.execution_id");
        assertThat(job.<Map<String, Object>>path("execution.output"))
                .isEqualTo(Map.of("status_code", 200, "body", ANSWER));

        var shown = api.ended(id);
        assertThat(shown.getString("output.body")).isEqualTo(ANSWER);
        assertThat(shown.<String, Object>getMap("output")).doesNotContainKey("json");
        var ofJob = api.read("/jobs/" + job.path("job_id") + "/executions");
        assertThat(ofJob.getString("items[0].output.body")).isEqualTo(ANSWER);
        assertThat(api.read("/executions?endpoint=answers").getString("items[0].output.body"))
                .isEqualTo(ANSWER);
        var preview = api.post(
                "/executions/bulk",
                Map.of(
                        "action",
                        "retry",
                        "filter",
                        Map.of("endpoint", "answers", "status", "SUCCESS"),
                        "dry_run",
                        true));
        assertThat(preview.<String>path("sample[0].output.body")).isEqualTo(ANSWER);
    }

    @Test
    void aChildCanUseItsTextAndFailsForAValueInItAsForAnyThatIsNotThere() throws InterruptedException {
        var parent = api.create("/jobs", Api.immediateJob("answers", "parent")).getString("job_id");

        assertThat(child("child", parent).getString("status")).isEqualTo("SUCCESS");
        var bodies = receiver.requests().stream()
                .filter(request -> request.path().equals("/child"))
                .map(request -> JsonPath.from(request.body()).getString("body"))
                .toList();
        assertThat(bodies).containsExactly(ANSWER);
        assertThat(child("needs-json", parent).getString("error.type")).isEqualTo("TEMPLATE_RESOLUTION_FAILED");
    }

    private static JsonPath child(String endpoint, String parent) throws InterruptedException {
        var job = new HashMap<>(Api.immediateJob(endpoint, endpoint));
        job.put("depends_on", Map.of("p", parent));
        return api.ended(api.create("/jobs", job).getString("execution.execution_id"));
    }

    @Test
    void aWorkflowGoesOn() throws InterruptedException {
        var run = api.create("/workflows", """
                {"idempotency_key": "unread", "name": "unread", "jobs": {"a": {"endpoint": "answers"},
                  "c": {"endpoint": "answers", "depends_on": ["a"]}}}""");
        var id = run.getString("workflow_id");

        var ended = Eventually.await(
                "the run ends",
                BOUND,
                () -> api.read("/workflows/" + id),
                workflow -> workflow.get("completed_at") != null);

        assertThat(ended.getString("status")).isEqualTo("SUCCESS");
    }
}
