package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The dashboard in Chromium: what a person sees and does, what a screen reader needs (axe-core), and pictures of each
 * page in {@code target/ui}. Without a browser these tests are skipped, and say so.
 */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class DashboardBrowserIT {
    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    private static DashboardWindow person;
    private static Browser.Window window;

    @BeforeAll
    static void open() throws Exception {
        person = DashboardWindow.open(api);
        window = person.browser();
    }

    @AfterAll
    static void close() {
        if (person != null) {
            person.close();
        }
    }

    @BeforeEach
    void begin() {
        receiver.answer(Answer.of(200, "{}"));
        person.lookWide();
    }

    private static void logIn(String key) throws InterruptedException {
        person.logIn(key);
    }

    private static void see(String path) throws InterruptedException {
        person.see(path);
    }

    private static void picture(String name) throws IOException {
        person.picture(name);
    }

    private static String failed(String endpoint) throws InterruptedException {
        receiver.answer(Answer.of(500, "{\"error\": \"the mail server is full\"}"));
        if (api.get("/endpoints/" + endpoint).statusCode() == 404) {
            api.endpoint(
                    endpoint,
                    receiver.uri("/" + endpoint),
                    Map.of("max_attempts", 3, "backoff", "fixed", "initial_delay_ms", 100));
        }
        var id = api.immediate(endpoint, endpoint + System.nanoTime());
        assertThat(api.ended(id).getString("status")).isEqualTo("FAILED");
        return id;
    }

    @Test
    void aPersonFindsAFailureReadsWhyRetriesItAndSeesItSucceed() throws Exception {
        var id = failed("mailing");
        logIn(api.key());

        window.follow("nav a[href='/ui/executions']");
        window.follow("a[href='/ui/executions/" + id + "']");
        window.awaitText("HTTP_ERROR");
        assertThat(window.text()).contains("the mail server is full", "Attempt 3");

        var answered = new CompletableFuture<@Nullable Void>();
        receiver.answer(Answer.of(200, "{\"sent\": true}").after(answered));
        window.follow(".actions form[action$='/retry'] button");
        window.awaitText("This is the retry");
        window.awaitText("RUNNING");
        // A page that was loaded anew does not have it.
        var _ = window.evaluate("window.isTheSamePage = true");
        answered.complete(null);
        window.awaitText("SUCCESS");
        window.awaitText("sent");
        assertThat(person.isTrue("window.isTheSamePage === true")).isTrue();
    }

    @Test
    void aListShowsChangesInPlaceAndOffersWhatIsNew() throws Exception {
        api.endpoint("ticker", receiver.uri("/ticker"), Map.of("max_attempts", 1));
        var answered = new CompletableFuture<@Nullable Void>();
        receiver.answer(Answer.of(200, "{}").after(answered));
        var id = api.immediate("ticker", "first");
        logIn(api.key());
        see("/ui/executions?endpoint=ticker");
        window.awaitText("RUNNING");
        window.awaitText("Live");

        var _ = window.evaluate("window.isTheSamePage = true");
        answered.complete(null);
        window.awaitText("SUCCESS");
        assertThat(person.isTrue("window.isTheSamePage === true")).isTrue();
        receiver.answer(Answer.of(200, "{}"));
        var second = api.immediate("ticker", "second");

        window.awaitText("New executions");
        assertThat(window.evaluate("document.querySelectorAll('tr[data-row]').length")
                        .asInt())
                .isEqualTo(1);
        window.follow("#fresh");
        assertThat(window.evaluate("!!document.getElementById('%s') && !!document.getElementById('%s')"
                                .formatted(id, second))
                        .asBoolean())
                .isTrue();
    }

    @Test
    void aQueueIsPausedAndManyAreRetriedAfterALook() throws Exception {
        var _ = api.create("/queues", Map.of("name", "letters", "weight", 1));
        var _ = failed("dead");
        var _ = failed("dead");
        logIn(api.key());

        see("/ui/queues/letters");
        window.follow("form[action$='/pause'] button");
        window.awaitText("PAUSED");
        assertThat(api.read("/queues/letters").getBoolean("paused")).isTrue();

        receiver.answer(Answer.of(200, "{}"));
        see("/ui/dead-letters?endpoint=dead");
        window.follow(".bulk button");
        window.awaitText("This would retry 2 executions");
        picture("preview");
        window.follow("form[action$='/retry'] button");
        window.awaitText("2 of 2 done");
        window.awaitText("SUCCEEDED");
        picture("operation");
    }

    @Test
    void aQuestionIsAnsweredByKeyboardAndItsExecutionGoesOn() throws Exception {
        var told = Map.of("url", receiver.uri("/team").toString(), "method", "POST");
        var _ = api.create(
                "/endpoints",
                Map.of("name", "team", "type", "HTTP", "spec", told, "retry_policy", Map.of("max_attempts", 1)));
        var spec = Map.of("announce", "team", "title", "Deploy 1.4?");
        var _ = api.create("/endpoints", Map.of("name", "deploy", "type", "APPROVAL", "spec", spec));
        var id = api.immediate("deploy", "deploy-1");
        logIn(api.key());
        see("/ui/executions/" + id);
        window.awaitText("DEFERRED");
        see("/ui/approvals");
        window.awaitText("Deploy 1.4?");
        picture("question");

        var _ = window.evaluate("document.querySelector('.question input[name=comment]').focus()");
        window.type("after lunch");
        window.press("Enter");
        assertThat(window.evaluate("document.activeElement.name").asText()).isEqualTo("comment");
        assertThat(api.read("/approvals/" + id).getString("decision")).isNull();
        window.press("Tab");
        assertThat(window.evaluate("document.activeElement.value").asText()).isEqualTo("approve");
        window.leave(() -> window.press("Enter"));
        window.awaitText("The decision is made.");
        see("/ui/approvals?open=false");
        window.awaitText("APPROVED");
        see("/ui/executions/" + id);
        window.awaitText("SUCCESS");
        assertThat(window.text()).contains("after lunch");
    }

    /** Of three clicks the first is prevented by something else, and the last is one too many. */
    @Test
    void aFormIsSentOnceHoweverOftenItsButtonIsClicked() throws Exception {
        api.endpoint("clicked", receiver.uri("/clicked"), Map.of("max_attempts", 1));
        var yearly = Map.of(
                "endpoint", "clicked",
                "cron", "0 0 1 1 *",
                "timezone", "UTC",
                "idempotency_key", "yearly",
                "input", Map.of("n", 1));
        var id = api.create("/jobs", yearly).getString("job_id");
        logIn(api.key());
        see("/ui/schedules/" + id);

        window.leave(() -> assertThat(window.evaluate("""
                (() => {
                  const form = document.querySelector("form[action$='/trigger']");
                  const prevented = [];
                  addEventListener("submit", event => prevented.push(event.defaultPrevented));
                  form.addEventListener("submit", event => event.preventDefault(), {once: true});
                  for (let i = 0; i < 3; i++) {
                    form.querySelector("button").click();
                  }
                  return prevented.join();
                })()
                """).asText()).isEqualTo("true,false,true"));

        assertThat(api.read("/jobs/" + id + "/executions").getList("items")).hasSize(1);
    }

    @Test
    void whoMayOnlyReadSeesNoButtons() throws Exception {
        var id = failed("guarded");
        var key = api.create("/keys", Map.of("name", "eyes", "scopes", List.of("read")))
                .getString("key");
        logIn(key);
        for (var path : List.of("/ui/executions/" + id, "/ui/queues", "/ui/queues/default", "/ui/dead-letters")) {
            see(path);
            assertThat(window.evaluate("document.querySelectorAll('main form[method=post] button').length")
                            .asInt())
                    .as(path)
                    .isZero();
        }
    }

    @Test
    void keysLeadThroughThePages() throws Exception {
        var id = failed("keyed");
        logIn(api.key());
        see("/ui/executions?endpoint=keyed");
        person.press("j");
        assertThat(window.evaluate("document.activeElement.getAttribute('href')")
                        .asText())
                .isEqualTo("/ui/executions/" + id);
        person.press("/");
        assertThat(window.evaluate("document.activeElement.id").asText()).isEqualTo("search");
        var _ = window.evaluate("document.activeElement.blur()");
        person.press("?");
        assertThat(window.evaluate("document.getElementById('keys').open").asBoolean())
                .isTrue();
    }

    /** The rules of WCAG 2.2, level AA, as far as a machine can tell; no rule of the policy is broken either. */
    @Test
    void eachPageIsAccessibleInLightInDarkAndOnAPhone() throws Exception {
        var id = failed("shown");
        var job = api.read("/executions/" + id).getString("job_id");
        var _ = api.update(
                "/endpoints/shown", Api.posting("shown", receiver.uri("/v2/shown"), Map.of("max_attempts", 5)));
        receiver.answer(Answer.of(200, "{\"sent\": true}"));
        for (var i = 0; i < 8; i++) {
            var _ = api.immediate("shown", "good" + i);
        }
        var _ = api.create("/queues", Map.of("name", "post", "weight", 5, "max_concurrency", 10));
        var _ = api.post("/queues/post/pause", Map.of("reason", "the mail server moves"));
        logIn(api.key());
        var pages = new LinkedHashMap<String, String>();
        pages.put("overview", "/ui/");
        pages.put("jobs", "/ui/jobs");
        pages.put("job", "/ui/jobs/" + job);
        pages.put("executions", "/ui/executions");
        pages.put("execution", "/ui/executions/" + id);
        pages.put("schedules", "/ui/schedules");
        pages.put("schedule", "/ui/schedules/" + schedule());
        pages.put("workflows", "/ui/workflows");
        pages.put("workflow", "/ui/workflows/" + workflow());
        pages.put("endpoints", "/ui/endpoints");
        pages.put("endpoint", "/ui/endpoints/shown");
        pages.put("forecast", "/ui/forecast");
        pages.put("approvals", "/ui/approvals");
        pages.put("keys", "/ui/keys");
        pages.put("audit", "/ui/audit");
        pages.put("queues", "/ui/queues");
        pages.put("queue", "/ui/queues/post");
        pages.put("dead-letters", "/ui/dead-letters");
        pages.put("error", "/ui/nothing");
        pages.put("empty", "/ui/executions?endpoint=none");
        for (var page : pages.entrySet()) {
            see(page.getValue());
            picture(page.getKey());
        }
        window.go(api.uri("/ui/login").toString());
        picture("login");
    }

    private static String schedule() {
        var job = Map.of(
                "endpoint", "shown",
                "cron", "*/5 * * * *",
                "timezone", "Europe/Berlin",
                "idempotency_key", "every-five-minutes",
                "input", Map.of("n", 1));
        var id = api.create("/jobs", job).getString("job_id");
        var now = Instant.now();
        var range = Map.of("from", now.minusSeconds(36_000).toString(), "to", now.toString());
        assertThat(api.post("/jobs/" + id + "/backfill", range).statusCode()).isEqualTo(200);
        return id;
    }

    private static String workflow() {
        var job = Map.of("endpoint", "shown", "input", Map.of("n", 1));
        var jobs = Map.of(
                "upload", job,
                "resize", after(job, "upload"),
                "scan", after(job, "upload"),
                "publish", after(job, "resize", "scan"));
        return api.create("/workflows", Map.of("name", "pictures", "idempotency_key", "pictures-1", "jobs", jobs))
                .getString("workflow_id");
    }

    private static Map<String, Object> after(Map<String, ?> job, String... parents) {
        var more = new HashMap<String, Object>(job);
        more.put("depends_on", List.of(parents));
        return more;
    }
}
