package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The forms of the dashboard as they are sent without scripts, and what its pages then say. */
@ServerTest(
        env = {
            "TE_EVENTS_ENABLED=true",
            "TE_PUBLIC_URL=http://public.invalid",
            "TE_UI_TRACE_URL=https://traces.invalid/of/{trace_id}"
        })
class DashboardFormsIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @Inject
    private static ServerDb db;

    private DashboardSession person;

    @BeforeEach
    void logIn() {
        receiver.answer(Answer.of(200, "{}"));
        person = DashboardSession.logIn(api, api.key());
    }

    private String moved(String path, Map<String, ?> fields) {
        var answer = person.send(path, fields);
        assertThat(answer.statusCode()).as(path + ": " + answer.asString()).isEqualTo(303);
        return answer.header("Location");
    }

    private static String status(String id) {
        return api.read("/executions/" + id).getString("status");
    }

    private static String failed(String endpoint, String key) throws InterruptedException {
        receiver.answer(Answer.of(500, "no"));
        if (api.get("/endpoints/" + endpoint).statusCode() == 404) {
            api.endpoint(endpoint, receiver.uri("/" + endpoint), Map.of("max_attempts", 1));
        }
        var id = api.immediate(endpoint, key);
        assertThat(api.ended(id).getString("status")).isEqualTo("FAILED");
        return id;
    }

    @Test
    void manyAreRetriedSlowlyAndStopped() throws InterruptedException {
        for (var i = 0; i < 12; i++) {
            var _ = failed("stopped", "stopped-" + i);
        }
        receiver.answer(Answer.of(200, "{}"));
        var fields = Map.of("endpoint", "stopped", "rate", "1", "max", "11");

        assertThat(person.send("/ui/dead-letters/preview", fields).asString())
                .contains("name=\"back\" value=\"/ui/\"", "at most 11 of them, 1 a second")
                .contains("name=\"rate\" value=\"1\"", "name=\"max\" value=\"11\"");
        var operation = moved("/ui/dead-letters/retry", fields);
        assertThat(person.page(operation))
                .contains("1 a second", "<dt>At most</dt><dd>11</dd>", ">Stop<", "data-refresh=\"1\"");
        assertThat(moved(operation + "/cancel", Map.of())).isEqualTo(operation);

        Eventually.await("it has stopped", BOUND, () -> !person.page(operation).contains(">Stop<"));
        assertThat(person.page(operation)).contains("CANCELLED").doesNotContain("data-refresh");
        assertThat(person.page("/ui/dead-letters?endpoint=stopped")).contains("/ui" + operation.substring(3));
        var wrong = person.send("/ui/dead-letters/preview", Map.of("endpoint", "stopped", "rate", "many"));
        assertThat(wrong.statusCode()).isEqualTo(400);
    }

    @Test
    void noMoreAreRetriedThanWereAskedFor() throws InterruptedException {
        for (var i = 0; i < 3; i++) {
            var _ = failed("limited", "limited-" + i);
        }
        receiver.answer(Answer.of(200, "{}"));

        var operation = moved("/ui/dead-letters/retry", Map.of("endpoint", "limited", "rate", "50", "max", "2"));

        Eventually.await("it has ended", BOUND, () -> person.page(operation).contains("SUCCEEDED"));
        assertThat(person.page(operation)).contains("2 of 2", "50 a second");
        assertThat(person.page("/ui/dead-letters")).contains("class=\"n\">2 of 2<");
        assertThat(api.read("/executions?endpoint=limited&status=FAILED&retried=false")
                        .getList("items"))
                .hasSize(1);
    }

    @Test
    void whatWaitsIsCancelled() throws InterruptedException {
        api.endpoint("waiting", receiver.uri("/waiting"), Map.of("max_attempts", 1));
        var delayed =
                Map.of("endpoint", "waiting", "delay", "PT1H", "idempotency_key", "waiting", "input", Map.of("n", 1));
        var job = api.create("/jobs", delayed).getString("job_id");
        var id = job.replace("job_", "exec_");
        assertThat(person.page("/ui/executions/" + id))
                .contains(">Cancel<")
                .containsPattern("It is not due before [-0-9]{10} [:0-9]{8}\\.")
                .doesNotContain(">Retry<");

        assertThat(moved("/ui/executions/" + id + "/cancel", Map.of())).isEqualTo("/ui/executions/" + id);

        assertThat(status(id)).isEqualTo("CANCELLED");
        assertThat(person.page("/ui/executions/" + id)).contains(">Retry<").doesNotContain(">Cancel<");
        var schedule =
                Map.of("endpoint", "waiting", "cron", "0 9 * * *", "timezone", "UTC", "idempotency_key", "cancelled");
        var daily = api.create("/jobs", schedule).getString("job_id");
        assertThat(moved("/ui/jobs/" + daily + "/cancel", Map.of())).isEqualTo("/ui/jobs/" + daily);
        assertThat(api.read("/jobs/" + daily).getString("status")).isEqualTo("RETIRED");
    }

    @Test
    void aCancellationThatComesTooLateIsRefusedInWordsOfTheDashboard() throws InterruptedException {
        api.endpoint("late", receiver.uri("/late"), Map.of("max_attempts", 1));
        var id = api.immediate("late", "late");
        var job = api.ended(id).getString("job_id");

        for (var path : List.of("/ui/executions/" + id, "/ui/jobs/" + job)) {
            var refusal = person.send(path + "/cancel", Map.of("force", "true"));
            assertThat(refusal.statusCode()).as(path).isEqualTo(409);
            assertThat(refusal.asString()).as(path).contains("load the page again", "only the API cancels it");
        }
    }

    private String workflow(String name, Map<String, ?> jobs) {
        return api.create("/workflows", Map.of("name", name, "idempotency_key", name, "jobs", jobs))
                .getString("workflow_id");
    }

    @Test
    void aWorkflowIsCancelledRetriedAndReplayed() throws InterruptedException {
        var _ = failed("step", "first");
        var failing = workflow("failing", Map.of("one", Map.of("endpoint", "step", "input", Map.of("n", 1))));
        awaitWorkflow(failing, "FAILED");
        assertThat(person.page("/ui/workflows/" + failing))
                .contains(">Retry what failed<", ">Replay all<", "The run took its time for: one");
        receiver.answer(Answer.of(200, "{}"));

        var retry = moved("/ui/workflows/" + failing + "/retry", Map.of()).replace("/ui/workflows/", "");
        awaitWorkflow(retry, "SUCCESS");
        assertThat(person.page("/ui/workflows/" + failing)).contains("Retried as");
        var replay = moved("/ui/workflows/" + retry + "/replay", Map.of()).replace("/ui/workflows/", "");
        assertThat(replay).isNotEqualTo(retry);
        awaitWorkflow(replay, "SUCCESS");

        var _ = api.create("/queues", Map.of("name", "held"));
        var _ = api.post("/queues/held/pause", Map.of());
        var spec = Map.of("url", receiver.uri("/held").toString(), "method", "POST");
        var _ = api.create("/endpoints", Map.of("name", "held", "type", "HTTP", "queue", "held", "spec", spec));
        var waiting = workflow("waiting", Map.of("one", Map.of("endpoint", "held")));
        assertThat(person.page("/ui/workflows/" + waiting)).contains(">Cancel<").doesNotContain(">Replay all<");
        assertThat(person.page("/ui/executions/" + waiting.replace("wf_", "exec_")))
                .contains(">Cancel<")
                .doesNotContain("name=\"force\"");
        assertThat(moved("/ui/workflows/" + waiting + "/cancel", Map.of())).isEqualTo("/ui/workflows/" + waiting);
        awaitWorkflow(waiting, "CANCELLED");
    }

    private static void awaitWorkflow(String id, String status) throws InterruptedException {
        var _ = Eventually.await(
                id + " is " + status,
                BOUND,
                () -> api.get("/workflows/" + id).asString(),
                run -> JsonPath.from(run).getString("status").equals(status));
    }

    @Test
    void aDisabledEndpointIsEnabled() throws InterruptedException {
        receiver.answer(Answer.of(410, "gone"));
        api.endpoint("gone", receiver.uri("/gone"), Map.of("max_attempts", 1));
        var _ = api.ended(api.immediate("gone", "gone"));
        Eventually.await(
                "it is disabled", BOUND, () -> person.page("/ui/endpoints/gone").contains("DISABLED"));
        assertThat(person.page("/ui/endpoints/gone")).contains(">Enable<");
        // The list shows the figures of a moment ago.
        Eventually.await(
                "the list says so", BOUND, () -> person.page("/ui/endpoints").contains("badge disabled"));

        assertThat(moved("/ui/endpoints/gone/enable", Map.of())).isEqualTo("/ui/endpoints/gone");

        assertThat(api.read("/endpoints/gone/breaker").getString("state")).isEqualTo("CLOSED");
        assertThat(person.page("/ui/endpoints/gone")).doesNotContain(">Enable<");
    }

    @Test
    void anExecutionSaysWhatItDidAndWhy() throws InterruptedException {
        var id = failed("explained", "explained");

        var explanation = api.read("/executions/" + id + "/explain").getString("message");
        assertThat(person.page("/ui/executions/" + id))
                .contains("attempt 1 failed,", "<b>" + explanation.split("[<&'\"]", 2)[0])
                .contains("<span>claimed", "<span>failed permanently:");
    }

    @Test
    void anExecutionLeadsToItsTrace() throws InterruptedException {
        api.endpoint("traced", receiver.uri("/traced"), Map.of("max_attempts", 1));
        var trace = "0af7651916cd43dd8448eb211c80319c";
        var id = api.request()
                .header("traceparent", "00-" + trace + "-b7ad6b7169203331-01")
                .contentType(ContentType.JSON)
                .body(Api.immediateJob("traced", "traced"))
                .post("/jobs")
                .jsonPath()
                .getString("execution.execution_id");
        var _ = api.ended(id);

        assertThat(person.page("/ui/executions/" + id)).contains("href=\"https://traces.invalid/of/" + trace + "\"");
    }

    @Test
    void aTickThatIsMissingInTheLedgerIsSaidToBe() throws InterruptedException {
        api.endpoint("ledger", receiver.uri("/ledger"), Map.of("max_attempts", 1));
        var schedule =
                Map.of("endpoint", "ledger", "every", "PT1S", "idempotency_key", "ledger", "input", Map.of("n", 1));
        var id = api.create("/jobs", schedule).getString("job_id");
        var ticks = "/jobs/" + id + "/ticks";
        Eventually.await(
                "three ticks", BOUND, () -> api.read(ticks).getList("items").size() >= 3);
        assertThat(person.page("/ui/schedules/" + id))
                .contains("class=\"strip\"", "class=\"fired\"", "none is missing");

        var lost = api.read(ticks).getString("items[1].scheduled_at");
        db.execute("DELETE FROM ticks WHERE job_id = '%s' AND scheduled_at = '%s'".formatted(Api.uuid(id), lost));

        assertThat(person.page("/ui/schedules/" + id))
                .contains("some are missing", "<ul class=\"gaps\"><li><time datetime=\"" + lost)
                .doesNotContain("none is missing");
        assertThat(person.send("/ui/jobs/" + id + "/cancel", Map.of()).statusCode())
                .isEqualTo(303);
    }

    @Test
    void aLaterVersionOfAScheduleShowsTheTicksThatItHas() {
        api.endpoint("hashed", receiver.uri("/hashed"), Map.of("max_attempts", 1));
        var schedule = Map.of(
                "endpoint", "hashed",
                "cron", "H H * * *",
                "timezone", "UTC",
                "starts_at", "2026-01-01T00:00:00Z",
                "idempotency_key", "hashed",
                "input", Map.of("n", 1));
        var first = api.create("/jobs", schedule).getString("job_id");
        var next = api.patch("/jobs/" + first, "{\"cron\": \"H H(0-11) * * *\"}");
        assertThat(next.statusCode()).as(next.asString()).isEqualTo(200);
        assertThat(next.<Integer>path("version")).isEqualTo(2);
        var path = "/ui/schedules/" + next.path("job_id");

        var tick = Instant.parse(next.path("next_run_at"));
        for (var day = 0; day < 3; day++) {
            assertThat(person.page(path)).contains("<time datetime=\"" + tick.plus(Duration.ofDays(day)) + "\"");
        }
        var past = tick.minus(Duration.ofDays(3));
        var range = Map.of("from", past.toString(), "to", past.plusSeconds(1).toString());
        assertThat(person.send(path + "/backfill/preview", range).asString())
                .contains("there is <b>1</b> tick.", "<li><time datetime=\"" + past + "\"");
        assertThat(moved(path + "/backfill", range)).isEqualTo(path);
        assertThat(person.page(path))
                .contains("title=\"" + past.toString().replace('T', ' ').replace("Z", " FIRED"));
    }

    @Test
    void aRangeOfTooManyTicksIsNotOfferedForABackfill() {
        api.endpoint("minutely", receiver.uri("/minutely"), Map.of("max_attempts", 1));
        var schedule = Map.of(
                "endpoint", "minutely",
                "cron", "* * * * *",
                "timezone", "UTC",
                "idempotency_key", "minutely",
                "starts_at", "2026-01-01T00:00:00Z");
        var path = "/ui/schedules/" + api.create("/jobs", schedule).getString("job_id") + "/backfill/preview";

        var exactly = Map.of("from", "2026-02-01T00:00:00Z", "to", "2026-02-01T16:40:00Z");
        assertThat(person.send(path, exactly).asString())
                .contains("there are <b>1,000</b> ticks", ">Backfill</button>");
        var more = Map.of("from", "2026-02-01T00:00:00Z", "to", "2026-02-01T16:41:00Z");
        assertThat(person.send(path, more).asString())
                .contains("more than <b>1,000</b> ticks", "choose a shorter time")
                .doesNotContain(">Backfill</button>");
    }

    @Test
    void aRangeThatABackfillRefusesIsRefusedByTheLookBeforeIt() {
        api.endpoint("refusing", receiver.uri("/refusing"), Map.of("max_attempts", 1));
        var schedule = Map.of(
                "endpoint", "refusing",
                "cron", "* * * * *",
                "timezone", "UTC",
                "idempotency_key", "refusing",
                "starts_at", "2026-01-01T00:00:00Z");
        var path = "/ui/schedules/" + api.create("/jobs", schedule).getString("job_id") + "/backfill";
        var now = Instant.now();

        for (var range : List.of(
                Map.of(
                        "from",
                        now.minusSeconds(600).toString(),
                        "to",
                        now.plusSeconds(3_600).toString()),
                Map.of("from", "2026-02-02T00:00:00Z", "to", "2026-02-01T00:00:00Z"))) {
            var refusal = person.send(path, range);
            assertThat(refusal.statusCode()).isEqualTo(400);
            var look = person.send(path + "/preview", range);
            assertThat(look.statusCode()).as(look.asString()).isEqualTo(400);
            assertThat(look.asString()).contains("must be after &#39;from&#39; and not in the future");
        }
    }

    @Test
    void whatIsNewLeadsToTheFirstPageFromAnOlderOne() {
        api.endpoint("newest", receiver.uri("/newest"), Map.of("max_attempts", 1));
        for (var i = 0; i < 51; i++) {
            var _ = api.immediate("newest", "newest-" + i);
        }
        var cursor = api.read("/executions?endpoint=newest&limit=50").getString("cursor");

        assertThat(person.page("/ui/executions?endpoint=newest&cursor=" + cursor))
                .contains("id=\"fresh\" href=\"/ui/executions?endpoint=newest\"");
    }

    @Test
    void theSearchSaysWhatItHasLookedFor() throws InterruptedException {
        var id = failed("searched", "order-17");
        var digits = id.replace("exec_", "");
        var found = new LinkedHashMap<String, String>();
        found.put(digits, "/ui/executions/" + id);
        found.put("searched", "/ui/executions?endpoint=searched");
        var key = api.create("/keys", Map.of("name", "sought", "scopes", List.of("read")));
        var keyId = key.getString("key_id");
        found.put(keyId, "/ui/keys#" + keyId);
        var audit = api.read("/audit").getString("items[0].audit_id");
        found.put(audit, null);
        var worker = api.read("/overview").getString("workers.items[0].worker_id");
        found.put(worker, "/ui/#workers");
        found.forEach((text, place) -> {
            var answer = person.request().queryParam("q", text).get("/ui/search");
            assertThat(answer.statusCode()).as(text).isEqualTo(303);
            if (place != null) {
                assertThat(answer.header("Location")).isEqualTo(place);
            }
        });
        var log = person.request().urlEncodingEnabled(false).get(place(audit)).asString();
        assertThat(log.substring(log.indexOf("<tbody>")))
                .contains(api.read("/audit").getString("items[0].request_id"));
        for (var text : List.of(
                "worker_" + "0".repeat(32),
                "event_" + digits,
                "audit_" + digits,
                "f".repeat(32),
                "order-17",
                "key_1")) {
            assertThat(person.page("/ui/search?q=" + text)).as(text).contains("Nothing was found for <b>" + text);
        }
        assertThat(person.request()
                        .queryParam("q", "order-17")
                        .queryParam("endpoint", "searched")
                        .get("/ui/search")
                        .header("Location"))
                .isEqualTo("/ui/jobs/job_" + digits);
        assertThat(person.page("/ui/search?q=order-18&endpoint=searched")).contains("has this key now");
        assertThat(DashboardSession.logIn(api, key.getString("key")).page("/ui/search?q=" + keyId))
                .contains("Nothing was found for <b>" + keyId);
    }

    private String place(String text) {
        return person.request().queryParam("q", text).get("/ui/search").header("Location");
    }

    @Test
    void whatRunsIsCancelledOnThePageOfItsJob() throws InterruptedException {
        var answered = new CompletableFuture<@Nullable Void>();
        receiver.answer(Answer.of(200, "{}").after(answered));
        api.endpoint("running", receiver.uri("/running"), Map.of("max_attempts", 1));
        var id = api.immediate("running", "running");
        Eventually.await("it runs", BOUND, () -> status(id).equals("RUNNING"));
        var job = "/ui/jobs/" + api.read("/executions/" + id).getString("job_id");
        assertThat(person.page(job)).contains("name=\"force\" value=\"true\"", ">Cancel, and abort its call<");

        assertThat(moved(job + "/cancel", Map.of("force", "true"))).isEqualTo(job);

        Eventually.await("it is cancelled", BOUND, () -> status(id).equals("CANCELLED"));
        assertThat(person.page(job)).doesNotContain("name=\"force\"");
        answered.complete(null);
    }
}
