package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers to parents decide whether a job runs, and with what. */
@ServerTest
class ParentResultsIT {
    private static final String CHECKED = "{\"ok\": true, \"size\": 12.50, \"text\": \"{{secret.x}}\"}";

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @BeforeAll
    static void register() {
        var _ = api.create("/payload-specs", """
                {"name": "sized", "schema": {"type": "object", "properties": {"size": {"type": "number"}}}}""");
        endpoint("check", Map.of(), "fixed");
        endpoint("fails", Map.of(), "fixed");
        endpoint("plain", Map.of(), "fixed");
        endpoint(
                "sized",
                Map.of("payload_spec", "sized"),
                Map.of("size", "{{input.size}}", "said", "{{input.said}}", "literal", "{{input.literal}}"));
        endpoint(
                "reads",
                Map.of(),
                Map.of(
                        "ok", "{{parents.check.output.json.ok}}",
                        "status", "{{parents.check.status}}",
                        "job", "{{job.id}}",
                        "at", "{{job.scheduled_for}}"));
    }

    private static void endpoint(String name, Map<String, ?> more, Object body) {
        var spec = Map.of(
                "url",
                receiver.uri("/" + name).toString(),
                "method",
                "POST",
                "headers",
                Map.of("Content-Type", "application/json"),
                "body_template",
                body);
        var endpoint = new HashMap<String, Object>(Map.of("name", name, "type", "HTTP", "spec", spec));
        endpoint.putAll(more);
        var _ = api.create("/endpoints", endpoint);
    }

    @BeforeEach
    void answer() {
        receiver.clear();
        receiver.answer(request -> Answer.of(request.path().equals("/fails") ? 400 : 200, CHECKED));
    }

    private static Map<String, Object> job(String endpoint, String key, Map<String, ?> more) {
        var job = new HashMap<String, Object>(Api.immediateJob(endpoint, key));
        job.putAll(more);
        return job;
    }

    private static String parent(String endpoint, String key) {
        return api.create("/jobs", job(endpoint, key, Map.of())).getString("job_id");
    }

    private static JsonPath ended(Map<String, Object> job) throws InterruptedException {
        return api.ended(api.create("/jobs", job).getString("execution.execution_id"));
    }

    private static JsonPath body(String path) {
        return JsonPath.from(receiver.requests().stream()
                .filter(request -> request.path().equals(path))
                .map(Received::body)
                .findFirst()
                .orElseThrow());
    }

    @Test
    void theTemplatesOfAnEndpointSeeTheResultsOfTheParents() throws Exception {
        var check = parent("check", "of-endpoint");

        var ended = ended(job("reads", "reads", Map.of("depends_on", Map.of("check", check))));

        assertThat(ended.getString("status")).isEqualTo("SUCCESS");
        assertThat(ended.getBoolean("output.json.ok")).isTrue();
        assertThat(ended.getString("output.body")).isEqualTo(CHECKED);
        assertThat(body("/reads").getBoolean("ok")).isTrue();
        assertThat(body("/reads").getString("status")).isEqualTo("SUCCESS");
        assertThat(body("/reads").getString("job")).isEqualTo(ended.getString("job_id"));
        assertThat(body("/reads").getString("at")).isEqualTo(ended.getString("run_at"));
        var replay = api.create("/executions/" + ended.getString("execution_id") + "/retry", "");
        assertThat(api.ended(replay.getString("execution_id")).getString("status"))
                .as("a replay sees the same results")
                .isEqualTo("SUCCESS");
        var alone = ended(job("reads", "alone", Map.of()));
        assertThat(alone.getString("error.type")).isEqualTo("TEMPLATE_RESOLUTION_FAILED");
    }

    @Test
    void theInputOfAJobMayHaveThemAndIsCheckedThen() throws Exception {
        var check = Map.of("depends_on", Map.of("check", parent("check", "of-input")));
        var input = Map.of(
                "size", "{{parents.check.output.json.size}}",
                "said", "it said {{parents.check.output.json.text}}",
                "literal", "\\{{x}}");

        assertThat(ended(job("sized", "sized", with(check, "input", input))).getString("status"))
                .isEqualTo("SUCCESS");
        assertThat(receiver.requests().getLast().body()).contains("12.50");
        assertThat(body("/sized").getString("said")).isEqualTo("it said {{secret.x}}");
        assertThat(body("/sized").getString("literal")).isEqualTo("{{x}}");

        var wrong =
                ended(job("sized", "wrong", with(check, "input", Map.of("size", "{{parents.check.output.json.ok}}"))));
        assertThat(wrong.getString("error.type")).isEqualTo("INPUT_VALIDATION_FAILED");
        assertThat(wrong.getString("error.message")).contains("'/size'");
        var missing = ended(
                job("sized", "missing", with(check, "input", Map.of("size", "{{parents.check.output.json.none}}"))));
        assertThat(missing.getString("error.type")).isEqualTo("TEMPLATE_RESOLUTION_FAILED");
    }

    private static Map<String, Object> with(Map<String, ?> map, String name, Object value) {
        var more = new HashMap<String, Object>(map);
        more.put(name, value);
        return more;
    }

    @Test
    void aJobWhoseConditionDoesNotHoldIsSkipped() throws Exception {
        var check = Map.of("depends_on", Map.of("check", parent("check", "of-condition")));
        var runs = ended(job(
                "plain",
                "runs",
                with(check, "when", Map.of("pointer", "/parents/check/output/json/ok", "equals", true))));
        assertThat(runs.getString("status")).isEqualTo("SUCCESS");

        var skipped = api.create(
                "/jobs",
                job(
                        "plain",
                        "not",
                        with(check, "when", Map.of("pointer", "/parents/check/output/json/ok", "in", List.of(false)))));
        var child = ended(job(
                "plain",
                "after",
                Map.of("depends_on", List.of(skipped.getString("job_id")), "trigger_rule", "none_failed")));
        assertThat(child.getString("status")).isEqualTo("SUCCESS");
        var id = skipped.getString("execution.execution_id");
        assertThat(api.ended(id).getString("status")).isEqualTo("SKIPPED");
        assertThat(api.ended(id).getInt("attempt_count")).isZero();
        assertThat(api.get("/executions/" + id + "/logs").asString()).contains("its condition does not hold");

        var failed = Map.of("depends_on", Map.of("check", parent("fails", "of-failure")), "trigger_rule", "all_done");
        var onError = ended(job(
                "plain",
                "on-error",
                with(failed, "when", Map.of("pointer", "/parents/check/error/status_code", "equals", 400))));
        assertThat(onError.getString("status")).isEqualTo("SUCCESS");
    }

    @Test
    void whatNamesNoParentIsRefused() throws Exception {
        var check = Map.of("depends_on", Map.of("check", parent("check", "of-refusals")));

        refused("UNKNOWN_PARENT", with(check, "input", "{{parents.other.status}}"));
        refused("TEMPLATE_RESOLUTION_FAILED", with(check, "input", Map.of("a", "{{config.x}}")));
        refused("TEMPLATE_RESOLUTION_FAILED", with(check, "input", Map.of("a", "{{parents.check")));
        refused("INVALID_CONDITION", with(check, "when", Map.of("pointer", "/parents/other/status", "exists", true)));
        refused("INVALID_CONDITION", with(check, "when", Map.of("pointer", "/input", "exists", true)));
        refused("INVALID_CONDITION", with(check, "when", Map.of("pointer", "no pointer", "exists", true)));
        refused("INVALID_CONDITION", with(check, "when", "true"));
        refused("INVALID_CONDITION", Map.of("when", Map.of("pointer", "/parents/check/status", "exists", true)));
        assertThat(ended(job("plain", "plain-text", Map.of("input", Map.of("a", "{{parents.check"))))
                        .getString("status"))
                .as("the input of a job without parents is no template")
                .isEqualTo("SUCCESS");
    }

    private static void refused(String code, Map<String, ?> more) {
        expectError(422, code, api.post("/jobs", job("plain", "refused", more)));
    }

    @ParameterizedTest
    @CsvSource({
        "404, '404', '', '', SUCCESS 2",
        "404, '4xx', '', '', SUCCESS 2",
        "404, '', '', '', FAILED 1",
        "404, '', '404', '', SUCCESS 2",
        "404, '404', '', 404, FAILED 1",
        "404, '404', '503', '', FAILED 1",
        "503, '', '', '', SUCCESS 2",
        "503, '', '', HTTP_ERROR, FAILED 1",
    })
    void anEndpointOrAJobSaysWhatIsRetried(int status, String ofEndpoint, String ofJob, String not, String end)
            throws Exception {
        var name = "rules-" + Integer.toHexString((status + ofEndpoint + "/" + ofJob + "/" + not).hashCode());
        var policy = Map.of("max_attempts", 2, "initial_delay_ms", 1, "retry_on", words(ofEndpoint));
        var _ = api.create("/endpoints", Api.posting(name, receiver.uri("/" + name), policy));
        receiver.answer(_ -> Answer.of(receiver.requests().size() <= 1 ? status : 200, "{}"));

        var more = new HashMap<String, Object>();
        if (!ofJob.isEmpty()) {
            more.put("retry_on", words(ofJob));
        }
        if (!not.isEmpty()) {
            more.put("no_retry_on", words(not));
        }
        var ended = ended(job(name, "one", more));

        assertThat(ended.getString("status") + " " + ended.getInt("attempt_count"))
                .isEqualTo(end);
    }

    private static List<String> words(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(","));
    }

    @Test
    void aReceiverThatForbidsRetriesIsHeard() throws Exception {
        var policy = Map.of("max_attempts", 3, "initial_delay_ms", 1, "retry_on", List.of("4xx"));
        var _ = api.create("/endpoints", Api.posting("forbids", receiver.uri("/forbids"), policy));
        receiver.answer(_ -> Answer.of(404, "{}").with("Taskexec-No-Retry", "true"));

        assertThat(ended(job("forbids", "one", Map.of())).getInt("attempt_count"))
                .isEqualTo(1);
    }

    @Test
    void aJobHasATimeoutOfItsOwnAndAScheduleKeepsIt() throws Exception {
        receiver.answer(_ -> Answer.of(200, "{}").after(new CompletableFuture<>()));

        var ended = ended(job("plain", "slow", Map.of("timeout_ms", 150)));
        assertThat(ended.getString("error.type")).isEqualTo("TIMEOUT");
        assertThat(ended.getString("error.message")).contains("150 ms");

        var schedule = api.create(
                "/jobs",
                Map.of(
                        "endpoint",
                        "plain",
                        "trigger",
                        "INTERVAL",
                        "every",
                        "PT1H",
                        "timeout_ms",
                        200,
                        "no_retry_on",
                        List.of("5xx")));
        var patched = api.patch("/jobs/" + schedule.getString("job_id"), Map.of("priority", 1))
                .jsonPath();
        assertThat(patched.getInt("timeout_ms")).isEqualTo(200);
        assertThat(patched.getList("no_retry_on")).isEqualTo(List.of("5xx"));
        expectError(400, "INVALID_REQUEST", api.post("/jobs", job("plain", "bad", Map.of("timeout_ms", 0))));
        expectError(400, "INVALID_REQUEST", api.post("/jobs", job("plain", "bad", Map.of("retry_on", List.of("x")))));
    }
}
