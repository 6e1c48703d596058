package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests for workflows that are refused, or repeated. */
@ServerTest
class WorkflowRefusalsIT {
    private static final AtomicInteger KEYS = new AtomicInteger();

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @BeforeAll
    static void register() {
        api.endpoint("good", receiver.uri("/good"), Map.of("max_attempts", 1));
    }

    /** JSON that is written with single quotes. */
    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private static String keyed(String workflow) {
        return json(workflow).replaceFirst("\\{", "{\"idempotency_key\": \"key-" + KEYS.incrementAndGet() + "\", ");
    }

    @Test
    void theSameRequestIsOneRunAndAnotherGraphIsRefused() {
        var body = json("{'idempotency_key': 'one', 'jobs': {'a': {'endpoint': 'good', 'input': {'of': 1}}}}");
        var first = api.create("/workflows", body).getString("workflow_id");

        var again = api.post("/workflows", body);
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.<String>path("workflow_id")).isEqualTo(first);
        var other = body.replace("\"of\": 1", "\"of\": 2");
        expectError(422, "IDEMPOTENCY_KEY_REUSED", api.post("/workflows", other));
        assertThat(api.post("/workflows?dry_run=true", body.replace("one", "tried"))
                        .statusCode())
                .isEqualTo(200);
        assertThat(api.read("/jobs?limit=200").<String>getList("items.idempotency_key"))
                .doesNotContain("tried");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "422 | WORKFLOW_CYCLE | /jobs/a/depends_on"
                        + "| {a: {E, 'depends_on': ['b']}, b: {E, 'depends_on': ['c']}, c: {E, 'depends_on': ['a']}}",
                "422 | WORKFLOW_CYCLE | /jobs/a/depends_on | {a: {E, 'depends_on': ['a']}}",
                "422 | DEPENDENCY_NOT_FOUND | /jobs/a/depends_on | {a: {E, 'depends_on': ['x']}}",
                "400 | INVALID_REQUEST | /jobs/b/depends_on/0 | {a: {E}, b: {E, 'depends_on': [1]}}",
                "400 | INVALID_REQUEST | /jobs/b/depends_on/1 | {a: {E}, b: {E, 'depends_on': ['a', null]}}",
                "400 | INVALID_REQUEST | /jobs/b/depends_on/0 | {a: {E}, b: {E, 'depends_on': [{}, 'x']}}",
                "400 | INVALID_REQUEST | /jobs/b/depends_on/0 | {'true': {E}, b: {E, 'depends_on': [true]}}",
                "422 | DUPLICATE_DEPENDENCY | /jobs/b/depends_on | {a: {E}, b: {E, 'depends_on': ['a', 'a']}}",
                "422 | UNKNOWN_PARENT | /jobs/a/input | {a: {E, 'input': '{{parents.x.status}}'}}",
                "422 | TRIGGER_RULE_IMPOSSIBLE | /jobs/a/trigger_rule | {a: {E, 'trigger_rule': 'one_failed'}}",
                "422 | INVALID_CONDITION | /jobs/a/when | {a: {E, 'when': {'pointer': '/parents/x', 'exists': true}}}",
                "422 | INVALID_CONDITION | /jobs/a/when | {a: {E, 'when': {'pointer': 'parents', 'exists': true}}}",
                "422 | TEMPLATE_RESOLUTION_FAILED | /jobs/a/input | {a: {E, 'input': '{{config.x}}'}}",
                "404 | ENDPOINT_NOT_FOUND | /jobs/a/endpoint | {a: {'endpoint': 'nowhere'}}",
                "422 | INVALID_QUEUE_REF | /jobs/a/queue | {a: {E, 'queue': 'nowhere'}}",
                "400 | INVALID_REQUEST | /jobs/a/run_at | {a: {E, 'run_at': '2040-01-01T00:00:00Z'}}",
                "400 | INVALID_REQUEST | /jobs/a b | {'a b': {E}}",
                "400 | INVALID_REQUEST | /jobs | {}",
            })
    void aBadGraphIsRefusedAndStoresNothing(int status, String code, String pointer, String jobs) {
        var body = keyed(
                "{'jobs': " + jobs.replaceAll("\\b([abc]): \\{", "'$1': {").replace("E", "'endpoint': 'good'") + "}");

        refused(status, code, pointer, api.post("/workflows", body));
        assertThat(api.read("/jobs?limit=1").getString("items[0].idempotency_key"))
                .isNotEqualTo("key-" + KEYS.get());
    }

    @Test
    void aMalformedInputOfAJobWithoutParentsIsExplained() {
        var answer = api.post("/workflows", keyed("{'jobs': {'a': {'endpoint': 'good', 'input': {'d': '{{'}}}}"));

        refused(422, "TEMPLATE_RESOLUTION_FAILED", "/jobs/a/input/d", answer);
        assertThat(answer.<String>path("error.message")).contains("since the job belongs to a workflow");
    }

    private static void refused(int status, String code, String pointer, Response answer) {
        expectError(status, code, answer);
        assertThat(answer.<String>path("error.details[0].pointer")).isEqualTo(pointer);
    }

    @Test
    void whatIsTooLargeIsRefused() {
        var many = IntStream.range(0, 1001)
                .mapToObj("'j%d': {'endpoint': 'good'}"::formatted)
                .collect(Collectors.joining(", "));
        refused(422, "TOO_MANY_JOBS", "/jobs", api.post("/workflows", keyed("{'jobs': {" + many + "}}")));
        var parents = IntStream.range(0, 101).mapToObj("'j%d'"::formatted).collect(Collectors.joining(", "));
        refused(
                422,
                "TOO_MANY_DEPENDENCIES",
                "/jobs/last/depends_on",
                api.post(
                        "/workflows",
                        keyed("{'jobs': {'last': {'endpoint': 'good', 'depends_on': [" + parents + "]}, "
                                + many.substring(0, many.indexOf(", 'j101'")) + "}}")));
        expectError(404, "WORKFLOW_DEFINITION_NOT_FOUND", api.post("/workflows", keyed("{'definition': 'good'}")));
        expectError(404, "WORKFLOW_NOT_FOUND", api.get("/workflows/wf_" + "0".repeat(32)));
        expectError(404, "WORKFLOW_DEFINITION_NOT_FOUND", api.get("/workflow-definitions/good"));
    }
}
