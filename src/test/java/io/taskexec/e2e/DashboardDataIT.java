package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The pages show what people and receivers have given as it was given, and what it means. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class DashboardDataIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    private static DashboardSession admin() {
        return DashboardSession.logIn(api, api.key());
    }

    private static void awaitStatus(String path, String status) throws InterruptedException {
        Eventually.await(status, BOUND, () -> api.read(path).getString("status").equals(status));
    }

    @Test
    void numbersKeepTheirZerosAndDigits() throws InterruptedException {
        receiver.answer(Answer.of(200, "{\"paid\": 7.00}").with("Content-Type", "application/json"));
        api.endpoint("paying", receiver.uri("/paying"), Map.of("max_attempts", 1));
        var job = api.create("/jobs", """
                {"endpoint": "paying", "trigger": "IMMEDIATE", "idempotency_key": "paying",
                 "input": {"n": 1, "price": 12.50, "sum": 123456789012345678901234567890.10}}
                """);
        var id = job.getString("execution.execution_id");
        assertThat(api.ended(id).getString("status")).isEqualTo("SUCCESS");
        var person = admin();

        for (var path : new String[] {"/ui/executions/" + id, "/ui/jobs/" + job.getString("job_id")}) {
            assertThat(person.page(path)).contains("\"price\" : 12.50", "\"sum\" : 123456789012345678901234567890.10");
        }
        assertThat(person.page("/ui/executions/" + id)).contains("\"paid\" : 7.00");
    }

    @Test
    void anExecutionShowsItsFlowKey() throws InterruptedException {
        receiver.answer(Answer.of(200, "{}"));
        var spec = Map.of("url", receiver.uri("/flowing").toString(), "method", "POST");
        var flow = Map.of("key", "{{input.tenant}}", "max_concurrency", 1);
        var _ = api.create("/endpoints", Map.of("name", "flowing", "type", "HTTP", "spec", spec, "flow", flow));
        var job = Map.of(
                "endpoint", "flowing",
                "trigger", "IMMEDIATE",
                "idempotency_key", "flowing",
                "input", Map.of("tenant", "acme-7"));
        var id = api.create("/jobs", job).getString("execution.execution_id");
        var _ = api.ended(id);

        assertThat(admin().page("/ui/executions/" + id)).contains("<dt>Flow key</dt><dd>acme-7</dd>");
    }

    @Test
    void anExecutionThatWaitsForAPersonLeadsToItsQuestion() throws InterruptedException {
        receiver.answer(Answer.of(200, "{}"));
        api.endpoint("asking-chat", receiver.uri("/asking-chat"), Map.of("max_attempts", 1));
        var spec = Map.of("announce", "asking-chat", "title", "Deploy?");
        var _ = api.create("/endpoints", Map.of("name", "asking", "type", "APPROVAL", "spec", spec));
        var id = api.immediate("asking", "asking");
        awaitStatus("/executions/" + id, "DEFERRED");

        assertThat(admin().page("/ui/executions/" + id))
                .contains("Waits for a decision", "<a href=\"/ui/approvals\">In the approvals</a> since ")
                .doesNotContain("Waits for its receiver");
    }

    @Test
    void aFailedRunSaysInWordsWhatFailed() throws InterruptedException {
        receiver.answer(Answer.of(500, "no"));
        api.endpoint("failing-step", receiver.uri("/failing-step"), Map.of("max_attempts", 1));
        var jobs = Map.of("only", Map.of("endpoint", "failing-step", "input", Map.of("n", 1)));
        var id = api.create("/workflows", Map.of("name", "failing", "idempotency_key", "failing", "jobs", jobs))
                .getString("workflow_id");
        awaitStatus("/workflows/" + id, "FAILED");

        assertThat(admin().page("/ui/workflows/" + id))
                .contains("<p><b>WORKFLOW_FAILED</b></p><p>1 of 1 jobs failed: only.</p>");
    }

    @Test
    void eachThingThatIsWrongInAFormIsSaidOnce() {
        api.endpoint("filled", receiver.uri("/filled"), Map.of("max_attempts", 1));
        var job = Map.of("endpoint", "filled", "every", "PT1H", "idempotency_key", "filled");
        var id = api.create("/jobs", job).getString("job_id");

        var answer = admin().send("/ui/schedules/" + id + "/backfill", Map.of("from", "yesterday", "to", "today"));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.asString()).containsOnlyOnce("/from").containsOnlyOnce("/to");
    }

    @Test
    void theTimeFromWhichAnIntervalCountsIsInTheZoneOfTheReader() {
        api.endpoint("recurring", receiver.uri("/recurring"), Map.of("max_attempts", 1));
        var job = Map.of(
                "endpoint", "recurring",
                "every", "PT1H",
                "starts_at", "2036-01-31T10:00:00Z",
                "idempotency_key", "recurring");
        var id = api.create("/jobs", job).getString("job_id");

        var answer = admin().request().cookie("te_zone", "Asia/Tokyo").get("/ui/schedules/" + id);

        assertThat(answer.asString()).contains("<br>every hour from 2036-01-31 19:00:00");
    }
}
