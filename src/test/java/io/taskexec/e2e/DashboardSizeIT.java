package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Pages of the dashboard with the most and the longest that can be in them: each has less than 100 KB. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class DashboardSizeIT {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final int MOST = 100_000;

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    private static String page(String path) {
        var page = DashboardSession.logIn(api, api.key()).page(path);
        assertThat(page.getBytes(StandardCharsets.UTF_8)).as(path).hasSizeBetween(1_000, MOST);
        return page;
    }

    @Test
    void anExecutionWhoseAttemptsAllFailedWithLongErrors() throws InterruptedException {
        var body = "<".repeat(64 * 1024);
        receiver.answer(Answer.of(500, body));
        var retries = Map.of("max_attempts", 20, "backoff", "fixed", "initial_delay_ms", 10, "max_delay_ms", 10);
        var spec = Map.of(
                "url", receiver.uri("/long").toString(),
                "method", "POST",
                "headers", Map.of("X-Long", "h".repeat(4_000)),
                "body_template", Map.of("text", "{{input.text}}"));
        var _ = api.create("/endpoints", Map.of("name", "long", "type", "HTTP", "spec", spec, "retry_policy", retries));
        var job = Map.of(
                "endpoint", "long",
                "trigger", "IMMEDIATE",
                "idempotency_key", "long",
                "tags", List.of("a".repeat(63), "b".repeat(63)),
                "input", Map.of("text", "&".repeat(60_000)));
        var id = api.create("/jobs", job).getString("execution.execution_id");
        Eventually.await(
                "all attempts have failed",
                BOUND,
                () -> api.read("/executions/" + id).getString("status").equals("FAILED"));

        assertThat(page("/ui/executions/" + id))
                .contains("Attempt 20", "&lt;&lt;&lt;", "more characters", "X-Long", "&amp;&amp;")
                .contains("<code>GET /executions/" + id + "/request</code> has the whole request")
                .doesNotContain("Copy as curl", "curl -X POST");
        page("/ui/jobs/" + job(id));
        page("/ui/dead-letters");
    }

    private static String job(String execution) {
        return api.read("/executions/" + execution).getString("job_id");
    }

    @Test
    void fiftyQuestionsWithLongDetails() throws InterruptedException {
        receiver.answer(Answer.of(200, "{}"));
        api.endpoint("size-chat", receiver.uri("/chat"), Map.of("max_attempts", 1));
        var spec = Map.of("announce", "size-chat", "title", "{{input.title}}", "details", "{{input.details}}");
        var _ = api.create("/endpoints", Map.of("name", "size-ask", "type", "APPROVAL", "spec", spec));
        for (var i = 0; i < 50; i++) {
            var _ = api.create(
                    "/jobs",
                    Map.of(
                            "endpoint",
                            "size-ask",
                            "trigger",
                            "IMMEDIATE",
                            "idempotency_key",
                            "size-" + i,
                            "input",
                            Map.of("title", "Q" + i + "&".repeat(400), "details", "<".repeat(15_000))));
        }
        Eventually.await(
                "all are asked",
                BOUND,
                () -> api.read("/approvals?limit=200").getList("items").size() >= 50);

        assertThat(page("/ui/approvals").split("class=\"question\"", -1)).hasSize(51);
    }

    @Test
    void aWorkflowOfAThousandJobs() {
        receiver.answer(Answer.of(200, "{}"));
        api.endpoint("size-step", receiver.uri("/step"), Map.of("max_attempts", 1));
        var jobs = new LinkedHashMap<String, Object>();
        for (var i = 0; i < 1_000; i++) {
            var name = "job-" + i + "-" + "n".repeat(50);
            jobs.put(
                    name,
                    i == 0
                            ? Map.of("endpoint", "size-step")
                            : Map.of("endpoint", "size-step", "depends_on", List.of("job-0-" + "n".repeat(50))));
        }
        var id = api.create("/workflows", Map.of("name", "large", "idempotency_key", "large", "jobs", jobs))
                .getString("workflow_id");

        assertThat(page("/ui/workflows/" + id))
                .contains("1,000 jobs with 999 dependencies, which are too many", "80 of 1,000");
    }

    @Test
    void aWorkflowWithAsManyLinesAsAreDrawn() {
        receiver.answer(Answer.of(200, "{}"));
        api.endpoint("size-wide", receiver.uri("/wide"), Map.of("max_attempts", 1));
        var jobs = new LinkedHashMap<String, Object>();
        var first = "first-" + "n".repeat(50);
        jobs.put(first, Map.of("endpoint", "size-wide"));
        for (var i = 0; i < 79; i++) {
            jobs.put("job-" + i + "-" + "n".repeat(50), Map.of("endpoint", "size-wide", "depends_on", List.of(first)));
        }
        var id = api.create("/workflows", Map.of("name", "wide", "idempotency_key", "wide", "jobs", jobs))
                .getString("workflow_id");

        assertThat(page("/ui/workflows/" + id)).contains("<svg class=\"graph\"");
    }

    /** An endpoint with many long lines, which begin with a text. */
    private static Map<String, Object> fat(String text) {
        var body = new LinkedHashMap<String, String>();
        for (var i = 0; i < 300; i++) {
            body.put("member-" + i, text + "‹&\"".repeat(60));
        }
        var spec = Map.of("url", receiver.uri("/fat").toString(), "method", "POST", "body_template", body);
        return Map.of("name", "size-fat", "type", "HTTP", "spec", spec);
    }

    @Test
    void aDifferenceOfManyLongLines() {
        var _ = api.create("/endpoints", fat("a"));
        var _ = api.update("/endpoints/size-fat", fat("b"));

        assertThat(page("/ui/endpoints/size-fat")).contains("class=\"removed\"", " more lines\n</pre>");
    }
}
