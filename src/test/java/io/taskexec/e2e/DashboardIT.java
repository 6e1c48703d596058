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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The dashboard for people without scripts, and for those who forge requests. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class DashboardIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String XSS = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{title}{{input.n}}";

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @BeforeEach
    void answerWell() {
        receiver.answer(Answer.of(200, "{}"));
    }

    private static DashboardSession admin() {
        return DashboardSession.logIn(api, api.key());
    }

    private static String key(String name, String scope) {
        return api.create("/keys", Map.of("name", name, "scopes", List.of(scope)))
                .getString("key");
    }

    /** An execution that has failed. */
    private static String failed(String endpoint) throws InterruptedException {
        receiver.answer(Answer.of(500, XSS));
        if (api.get("/endpoints/" + endpoint).statusCode() == 404) {
            api.endpoint(endpoint, receiver.uri("/" + endpoint), Map.of("max_attempts", 1));
        }
        var id = api.immediate(endpoint, endpoint + System.nanoTime());
        assertThat(api.ended(id).getString("status")).isEqualTo("FAILED");
        return id;
    }

    @Test
    void whatPeopleHaveWrittenIsShownAsText() throws InterruptedException {
        receiver.answer(Answer.of(500, XSS));
        var spec = Map.of(
                "url", receiver.uri("/x").toString(),
                "method", "POST",
                "headers", Map.of("X-Text", "<script>alert(1)</script>"),
                "body_template", Map.of("text", "{{input.text}}"));
        var _ = api.create(
                "/endpoints",
                Map.of(
                        "name",
                        "xss",
                        "type",
                        "HTTP",
                        "queue",
                        "xss-queue",
                        "spec",
                        spec,
                        "retry_policy",
                        Map.of("max_attempts", 1)));
        var job = api.create(
                "/jobs",
                Map.of(
                        "endpoint",
                        "xss",
                        "trigger",
                        "IMMEDIATE",
                        "idempotency_key",
                        XSS,
                        "input",
                        Map.of("text", XSS)));
        var id = job.getString("execution.execution_id");
        var _ = api.ended(id);
        var _ = api.post("/queues/xss-queue/pause", Map.of("reason", XSS));
        var person = admin();

        for (var path : List.of(
                "/ui/executions/" + id,
                "/ui/jobs/" + job.getString("job_id"),
                "/ui/queues/xss-queue",
                "/ui/queues",
                "/ui/",
                "/ui/dead-letters")) {
            assertThat(person.page(path))
                    .as(path)
                    .doesNotContain("<script>alert", "<img src=x")
                    .doesNotContain("undefined");
        }
        assertThat(person.page("/ui/executions/" + id))
                .contains("&lt;script&gt;alert(1)&lt;/script&gt;", "{title}{{input.n}}");
    }

    @Test
    void whatIsInTheAddressIsShownAsText() {
        var person = admin();
        for (var name : List.of("endpoint", "queue", "tag", "created_from", "cursor", "status")) {
            assertThat(person.request()
                            .queryParam(name, XSS)
                            .get("/ui/executions")
                            .asString())
                    .as(name)
                    .doesNotContain("<script>alert", "<img src=x");
        }
        assertThat(person.request().queryParam("q", XSS).get("/ui/search").asString())
                .contains("Nothing was found")
                .doesNotContain("<script>alert", "<img src=x");
    }

    @Test
    void filtersAreThoseOfTheApiAndStayInTheAddress() throws InterruptedException {
        var id = failed("filtered");
        receiver.answer(Answer.of(200, "{}"));
        var good = api.immediate("filtered", "good");
        var _ = api.ended(good);
        var person = admin();

        var found = person.page("/ui/executions?status=FAILED&endpoint=filtered&tag=&queue=");
        assertThat(found)
                .contains(id, "value=\"filtered\"", "<option selected>FAILED")
                .doesNotContain(good);
        var wrong = person.get("/ui/executions?status=NONSENSE");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.asString()).contains("must be one of").contains("aria-label=\"Pages\"");
        assertThat(person.page("/ui/executions?endpoint=filtered&created_before=2020-01-01T00:00:00Z"))
                .contains("No execution fits these filters");
    }

    @Test
    void longListsHaveAPageAfterThePage() {
        api.endpoint("many", receiver.uri("/many"), Map.of("max_attempts", 1));
        for (var i = 0; i < 60; i++) {
            var _ = api.immediate("many", "many-" + i);
        }
        var person = admin();

        var first = person.page("/ui/executions?endpoint=many");
        var next = first.replaceAll("(?s).*href=\"(/ui/executions\\?[^\"]*cursor=[^\"]*)\".*", "$1")
                .replace("&amp;", "&");
        var second = person.request().urlEncodingEnabled(false).get(next).asString();

        assertThat(rows(first)).isEqualTo(50);
        assertThat(rows(second)).isEqualTo(10);
        assertThat(second).contains("value=\"many\"");
    }

    @Test
    void noPageHasMoreThan100Kilobytes() throws InterruptedException {
        var text = "x".repeat(200);
        for (var i = 0; i < 60; i++) {
            var endpoint = "full-" + i + "-" + text.substring(0, 40);
            api.endpoint(endpoint, receiver.uri("/full"), Map.of("max_attempts", 1));
            var _ = api.create("/queues", Map.of("name", "full-" + i + "-" + text.substring(0, 40)));
            var _ = api.create(
                    "/jobs",
                    Map.of(
                            "endpoint",
                            endpoint,
                            "idempotency_key",
                            "full-" + i,
                            "input",
                            Map.of("text", text),
                            "tags",
                            List.of("full", "full-" + i)));
            var _ = api.create(
                    "/jobs",
                    Map.of(
                            "endpoint",
                            endpoint,
                            "idempotency_key",
                            "full-cron-" + i,
                            "cron",
                            i + " 9 * * *",
                            "timezone",
                            "UTC",
                            "input",
                            Map.of("text", text)));
        }
        var id = failed("full-failed");
        var person = admin();

        for (var path : List.of(
                "/ui/",
                "/ui/?hours=24",
                "/ui/jobs",
                "/ui/executions",
                "/ui/dead-letters",
                "/ui/schedules",
                "/ui/workflows",
                "/ui/endpoints",
                "/ui/queues",
                "/ui/forecast",
                "/ui/approvals",
                "/ui/keys",
                "/ui/audit",
                "/ui/executions/" + id)) {
            assertThat(person.page(path).getBytes(StandardCharsets.UTF_8))
                    .as(path)
                    .hasSizeBetween(1_000, 100_000);
        }
    }

    private static int rows(String page) {
        return page.split("<tr id=\"exec_", -1).length - 1;
    }

    @Test
    void theSearchFindsTheThingOfAnyId() throws InterruptedException {
        var id = failed("sought");
        var job = api.read("/executions/" + id).getString("job_id");
        var person = admin();

        assertThat(place(person, id)).isEqualTo("/ui/executions/" + id);
        assertThat(place(person, job)).isEqualTo("/ui/jobs/" + job);
        assertThat(place(person, Api.uuid(id).toString())).isEqualTo("/ui/executions/" + id);
        assertThat(place(person, "sought")).isEqualTo("/ui/executions?endpoint=sought");
        assertThat(person.get("/ui/executions/exec_nonsense").statusCode()).isEqualTo(404);
    }

    private static String place(DashboardSession person, String text) {
        return person.request().queryParam("q", text).get("/ui/search").header("Location");
    }

    @Test
    void aFailedExecutionIsRetriedByAForm() throws InterruptedException {
        var id = failed("retried");
        var person = admin();
        assertThat(person.page("/ui/executions/" + id))
                .contains("HTTP_ERROR", "status 500", "Retry</button>", "Copy as curl", "curl -X POST");
        receiver.answer(Answer.of(200, "{}"));

        var answer = person.send("/ui/executions/" + id + "/retry", Map.of());

        assertThat(answer.statusCode()).isEqualTo(303);
        var retry = answer.header("Location").replace("/ui/executions/", "");
        assertThat(api.ended(retry).getString("status")).isEqualTo("SUCCESS");
        assertThat(person.page("/ui/executions/" + id)).contains("Retried as", retry);
        assertThat(api.read("/audit?kind=execution").getMap("items[0]"))
                .containsEntry("action", "retry")
                .containsEntry("actor", "bootstrap")
                .containsEntry("resource", id);
    }

    @Test
    void secretsAreMasked() throws InterruptedException {
        api.secret("dashboard_token", "very-secret-value-1");
        var spec = Map.of(
                "url", receiver.uri("/secret").toString(),
                "method", "POST",
                "headers", Map.of("X-Token", "{{secret.dashboard_token}}"));
        var _ = api.create("/endpoints", Map.of("name", "secretive", "type", "HTTP", "spec", spec));
        var id = api.immediate("secretive", "secretive");
        var _ = api.ended(id);

        assertThat(admin().page("/ui/executions/" + id))
                .contains("X-Token", "dashboard_token")
                .doesNotContain("very-secret-value-1");
    }

    @Test
    void whoMayOnlyReadSeesNoButtonsAndIsRefused() throws InterruptedException {
        var id = failed("guarded");
        var reader = DashboardSession.logIn(api, key("reader", "read"));

        assertThat(reader.page("/ui/executions/" + id)).doesNotContain(">Retry<", ">Cancel<");
        assertThat(reader.page("/ui/queues/default")).doesNotContain(">Pause<", ">Save<");
        assertThat(reader.page("/ui/dead-letters")).doesNotContain("Look first");
        for (var path : List.of(
                "/ui/executions/" + id + "/retry",
                "/ui/executions/" + id + "/cancel",
                "/ui/queues/default/pause",
                "/ui/queues/default",
                "/ui/dead-letters/preview",
                "/ui/dead-letters/retry")) {
            var answer = reader.send(path, Map.of());
            assertThat(answer.statusCode()).as(path).isEqualTo(403);
            assertThat(answer.asString()).contains("This needs an API key with the scope");
        }
        var worker = DashboardSession.logIn(api, key("jobs", "jobs"));
        assertThat(worker.page("/ui/executions/" + id)).contains(">Retry<");
        assertThat(worker.send("/ui/queues/default/pause", Map.of()).statusCode())
                .isEqualTo(403);
        assertThat(api.read("/queues/default").getBoolean("paused")).isFalse();
        assertThat(api.read("/executions/" + id).getString("retried_as")).isNull();
    }

    @Test
    void aQueueIsPausedResumedAndChanged() throws InterruptedException {
        var _ = api.create("/queues", Map.of("name", "mail", "weight", 3));
        var person = admin();

        assertThat(person.send("/ui/queues/mail/pause", Map.of("reason", "upgrade", "minutes", "5"))
                        .statusCode())
                .isEqualTo(303);
        assertThat(api.read("/queues/mail").getBoolean("paused")).isTrue();
        assertThat(person.page("/ui/queues/mail")).contains("PAUSED", "upgrade", "Resume");
        Eventually.await(
                "the overview tells of it",
                BOUND,
                () -> person.page("/ui/").contains("Queue mail is paused (upgrade)."));
        assertThat(person.send("/ui/queues/mail/resume", Map.of()).statusCode()).isEqualTo(303);
        var tag = person.page("/ui/queues/mail").replaceAll("(?s).*name=\"etag\" value=\"([^\"]+)\".*", "$1");
        var settings = Map.of(
                "etag",
                tag.replace("&quot;", "\""),
                "weight",
                "7",
                "max_concurrency",
                "2",
                "rate_limit",
                "10",
                "rate_per",
                "PT1M");
        assertThat(person.send("/ui/queues/mail", settings).statusCode()).isEqualTo(303);
        assertThat(api.read("/queues/mail").getMap(""))
                .containsEntry("weight", 7)
                .containsEntry("max_concurrency", 2);
        assertThat(person.send("/ui/queues/mail", settings).statusCode()).isEqualTo(412);
        var wrong = person.send("/ui/queues/mail", Map.of("weight", "1000"));
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.asString()).contains("/weight");
    }

    @Test
    void manyAreRetriedAfterALookAtThem() throws InterruptedException {
        var ids = List.of(failed("dead"), failed("dead"), failed("dead"));
        receiver.answer(Answer.of(200, "{}"));
        var person = admin();
        var fields = Map.of("endpoint", "dead", "rate", "50");

        var preview = person.send("/ui/dead-letters/preview", fields).asString();
        assertThat(preview)
                .contains("This would retry <b>3</b>")
                .contains(ids.get(0))
                .contains("Nothing has been changed");
        assertThat(api.read("/executions/" + ids.getFirst()).getString("retried_as"))
                .isNull();
        var begun = person.send("/ui/dead-letters/retry", fields);

        assertThat(begun.statusCode()).as(begun.asString()).isEqualTo(303);
        var path = begun.header("Location");
        Eventually.await("it has ended", BOUND, () -> person.page(path).contains("SUCCEEDED"));
        assertThat(person.page(path)).contains("3 of 3");
        assertThat(person.page("/ui/dead-letters?endpoint=dead")).contains("No failed execution fits");
    }

    @Test
    void aScheduleShowsItsTicksAndIsPausedTriggeredAndBackfilled() throws InterruptedException {
        api.endpoint("daily", receiver.uri("/daily"), Map.of("max_attempts", 1));
        var id = api.create(
                        "/jobs",
                        Map.of(
                                "endpoint", "daily",
                                "cron", "0 9 * * *",
                                "timezone", "Asia/Tokyo",
                                "idempotency_key", "daily",
                                "starts_at", "2026-01-01T00:00:00Z",
                                "input", Map.of("n", 1)))
                .getString("job_id");
        var person = admin();
        var path = "/ui/schedules/" + id;

        assertThat(person.page("/ui/schedules")).contains(id, "0 9 * * *", "09:00:00 +09:00");
        assertThat(person.page(path)).contains("00:00:00</time>", "09:00:00 +09:00", "It has not fired yet");
        assertThat(person.send(path + "/pause", Map.of("reason", "holiday")).statusCode())
                .isEqualTo(303);
        assertThat(person.page(path)).contains("holiday", ">Resume<");
        assertThat(person.send(path + "/resume", Map.of()).statusCode()).isEqualTo(303);
        var range = Map.of("from", "2026-02-01T00:00:00Z", "to", "2026-02-03T00:00:00Z");
        assertThat(person.send(path + "/backfill/preview", range).asString()).contains("there are <b>2</b> ticks");
        assertThat(person.send(path + "/backfill", range).statusCode()).isEqualTo(303);
        assertThat(person.page(path)).contains("class=\"fired\"");
        var run = person.send(path + "/trigger", Map.of()).header("Location").replace("/ui/executions/", "");
        assertThat(api.ended(run).getString("status")).isEqualTo("SUCCESS");
    }

    @Test
    void administratorsAloneSeeKeysAndTheAuditLog() {
        var person = admin();

        var made = person.send("/ui/keys", Map.of("name", "deploy", "scope", "jobs", "expires_in", "P1D"));
        assertThat(made.statusCode()).isEqualTo(303);
        var place = made.header("Location");
        var shown = person.request().cookies(made.cookies()).get(place);
        var key = shown.asString().replaceAll("(?s).*<pre[^>]*>(te_[^<]+)</pre>.*", "$1");
        // The browser forgets it with the page, and has sent it to no other.
        assertThat(shown.getDetailedCookie("te_secret").getMaxAge()).isZero();
        assertThat(made.getDetailedCookie("te_secret").getPath()).isEqualTo(place);
        assertThat(made.getDetailedCookie("te_secret").isHttpOnly()).isTrue();
        assertThat(person.page(place)).contains("deploy").doesNotContain(key, "shown this once");
        var other = DashboardSession.logIn(api, key);
        assertThat(other.page("/ui/")).doesNotContain("/ui/keys", "/ui/audit");
        assertThat(other.get("/ui/keys").statusCode()).isEqualTo(403);
        assertThat(other.get("/ui/audit").statusCode()).isEqualTo(403);
        assertThat(person.page("/ui/keys")).contains("deploy").doesNotContain(key);
        var id = api.read("/audit?kind=key").getString("items[0].resource");
        assertThat(id).startsWith("key_");
        assertThat(place).isEqualTo("/ui/keys/" + id);
        assertThat(person.page("/ui/audit?kind=key")).contains(id);
        assertThat(person.send("/ui/keys/" + id + "/revoke", Map.of()).statusCode())
                .isEqualTo(303);
        assertThat(other.get("/ui/").statusCode()).isEqualTo(303);
    }

    @Test
    void aQuestionIsDecided() throws InterruptedException {
        api.endpoint("chat", receiver.uri("/chat"), Map.of("max_attempts", 1));
        var spec = Map.of("announce", "chat", "title", "Deploy <b>?");
        var _ = api.create("/endpoints", Map.of("name", "ask", "type", "APPROVAL", "spec", spec));
        var id = api.immediate("ask", "ask-1");
        Eventually.await(
                "it asks",
                BOUND,
                () -> api.read("/executions/" + id).getString("status").equals("DEFERRED"));
        var person = admin();

        assertThat(person.page("/ui/approvals")).contains("Deploy &lt;b&gt;?", ">Approve<");
        var answer = person.send("/ui/approvals/" + id, Map.of("decision", "approve", "comment", "go"));

        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(api.ended(id).getString("output.json.by")).isEqualTo("bootstrap");
        assertThat(person.page("/ui/approvals")).doesNotContain(id);
        assertThat(person.page("/ui/approvals?open=false")).contains("APPROVED").doesNotContain("/ui/approvals/" + id);
        assertThat(person.page("/ui/endpoints/ask")).contains("APPROVAL, version");
        assertThat(person.page("/ui/endpoints")).contains("/ui/endpoints/chat");
    }

    @Test
    void emptyListsTeachTheCommandThatFillsThem() {
        var person = admin();

        assertThat(person.page("/ui/schedules?endpoint=none")).contains("No schedule is here", "curl -X POST");
    }

    @Test
    void timesAreShownInTheChosenZone() throws InterruptedException {
        var id = failed("zoned");
        var person = admin();
        assertThat(person.send("/ui/preferences", Map.of("zone", "Mars/Base")).statusCode())
                .isEqualTo(400);

        var chosen = person.send("/ui/preferences", Map.of("zone", "Asia/Tokyo", "theme", "dark", "back", "/ui/jobs"));

        assertThat(chosen.header("Location")).isEqualTo("/ui/jobs");
        var page = person.request()
                .cookies(chosen.cookies())
                .get("/ui/executions/" + id)
                .asString();
        assertThat(page).contains("value=\"Asia/Tokyo\"", "data-theme=\"dark\"");
    }
}
