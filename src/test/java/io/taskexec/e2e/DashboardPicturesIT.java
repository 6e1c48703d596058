package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pages in the middle of something, the choices of a reader, and a browser without scripts. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class DashboardPicturesIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

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
    }

    private static void choose(String field, String value) throws InterruptedException {
        var _ = window.evaluate("document.getElementById('%s').value = '%s'".formatted(field, value));
        window.follow("footer form[action$='/preferences'] button");
    }

    @Test
    void anExecutionThatRunsAndOneThatWaitsForItsReceiver() throws Exception {
        var answered = new CompletableFuture<@Nullable Void>();
        receiver.answer(Answer.of(200, "{}").after(answered));
        api.endpoint("slow", receiver.uri("/slow"), Map.of("max_attempts", 1));
        var running = api.immediate("slow", "slow");
        person.logIn(api.key());
        person.see("/ui/executions/" + running);
        window.awaitText("abort its call");
        person.picture("execution-running");
        answered.complete(null);

        receiver.answer(Answer.of(202, "{}").with("Taskexec-Defer", "callback; timeout=600"));
        var later = Map.of(
                "name",
                "later",
                "type",
                "HTTP",
                "spec",
                Map.of("url", receiver.uri("/later").toString(), "method", "POST"),
                "completion",
                Map.of("modes", List.of("callback"), "timeout", "PT1H"));
        var _ = api.create("/endpoints", later);
        var id = api.immediate("later", "later");
        awaitStatus(id, "DEFERRED");
        var progress = Map.of("current", 340, "total", 1_000, "message", "row 340");
        assertThat(api.post("/executions/" + id + "/callback", Map.of("status", "progress", "progress", progress))
                        .statusCode())
                .isEqualTo(200);
        person.see("/ui/executions/" + id);
        window.awaitText("340 of 1,000");
        assertThat(window.text()).contains("Waits for its receiver", "row 340", "deferred:");
        person.picture("execution-deferred");
    }

    private static void awaitStatus(String id, String status) throws InterruptedException {
        Eventually.await(
                status,
                BOUND,
                () -> api.read("/executions/" + id).getString("status").equals(status));
    }

    @Test
    void aBackfillIsLookedAtFirstAndAKeyIsShownOnce() throws Exception {
        api.endpoint("hourly", receiver.uri("/hourly"), Map.of("max_attempts", 1));
        var schedule = Map.of(
                "endpoint", "hourly",
                "cron", "0 * * * *",
                "timezone", "UTC",
                "idempotency_key", "hourly",
                "starts_at", "2026-01-01T00:00:00Z");
        var id = api.create("/jobs", schedule).getString("job_id");
        person.logIn(api.key());
        person.see("/ui/schedules/" + id);
        var _ = window.evaluate("document.getElementById('from').value = '2026-02-01T00:00:00Z';"
                + "document.getElementById('to').value = '2026-02-02T00:00:00Z'");
        window.follow("form[action$='/backfill/preview'] button");
        window.awaitText("there are 24 ticks");
        person.picture("backfill");
        window.follow("form[action$='/backfill'] button");
        window.awaitText("24 have become executions");

        person.see("/ui/keys");
        var _ = window.evaluate("document.getElementById('name').value = 'deploy'");
        window.follow("main form[action='/ui/keys'] button");
        window.awaitText("shown this once");
        person.picture("key");

        window.leave(() -> {
            var _ = window.evaluate("location.reload()");
        });
        assertThat(window.text()).contains("Make a key", "deploy").doesNotContain("shown this once", "te_");
    }

    @Test
    void aQuestionThatWasDecided() throws Exception {
        api.endpoint("decided-chat", receiver.uri("/decided-chat"), Map.of("max_attempts", 1));
        var spec = Map.of("announce", "decided-chat", "title", "Deploy 1.5?", "details", "12 changes, 2 migrations");
        var _ = api.create("/endpoints", Map.of("name", "decided-ask", "type", "APPROVAL", "spec", spec));
        for (var decision : List.of("approve", "reject")) {
            var id = api.immediate("decided-ask", decision);
            awaitStatus(id, "DEFERRED");
            assertThat(api.post(
                                    "/approvals/" + id + "/decision",
                                    Map.of("decision", decision, "comment", "after the tests"))
                            .statusCode())
                    .isEqualTo(200);
        }
        person.logIn(api.key());
        person.see("/ui/approvals?open=false");
        window.awaitText("REJECTED");
        person.picture("approvals-decided");
    }

    @Test
    void aReaderChoosesColoursAndAZoneAndLooksUpTheKeys() throws Exception {
        api.endpoint("chosen", receiver.uri("/chosen"), Map.of("max_attempts", 1));
        var id = api.immediate("chosen", "chosen");
        var created = api.ended(id).getString("created_at");
        person.logIn(api.key());
        person.see("/ui/executions/" + id);
        var utc = created.substring(0, 19).replace('T', ' ');
        assertThat(window.text()).contains(utc);

        choose("zone", "Asia/Tokyo");
        var there = OffsetDateTime.parse(created).plusHours(9).toLocalDateTime();
        assertThat(window.text())
                .contains(there.toString().substring(0, 19).replace('T', ' '))
                .doesNotContain(utc);
        choose("zone", "UTC");
        choose("theme", "dark");
        assertThat(window.evaluate("getComputedStyle(document.body).backgroundColor")
                        .asText())
                .isEqualTo("rgb(22, 24, 28)");
        assertThat(person.violations()).isEqualTo("");
        person.press("?");
        assertThat(person.isTrue("document.getElementById('keys').open")).isTrue();
        assertThat(person.violations()).isEqualTo("");
        choose("theme", "light");
        person.press("?");
        assertThat(person.violations()).isEqualTo("");
        choose("theme", "auto");
    }

    @Test
    void withoutScriptsAFailureIsFoundAndRetried() throws Exception {
        receiver.answer(Answer.of(500, "the disk is full"));
        api.endpoint("scriptless", receiver.uri("/scriptless"), Map.of("max_attempts", 1));
        var id = api.immediate("scriptless", "scriptless");
        var _ = api.ended(id);
        receiver.answer(Answer.of(200, "{\"done\": true}"));

        window.runScripts(false);
        try {
            person.logIn(api.key());
            assertThat(person.isTrue("typeof htmx === 'undefined'")).isTrue();
            window.follow("nav a[href='/ui/dead-letters']");
            window.follow("a[href='/ui/executions/" + id + "']");
            assertThat(window.text()).contains("the disk is full");
            window.follow("#part-actions form[action$='/retry'] button");
            assertThat(window.text()).contains("This is the retry");
            var retry = api.read("/executions/" + id).getString("retried_as");
            var _ = api.ended(retry);
            person.see("/ui/executions/" + retry);
            assertThat(window.text()).contains("SUCCESS", "done");
        } finally {
            window.runScripts(true);
        }
    }

    @Test
    void keysPassRowsThatLeadNowhere() throws Exception {
        person.logIn(api.key());
        person.see("/ui/");
        window.awaitText("Workers");
        var rows = window.evaluate(
                        "[...document.querySelectorAll('[data-row]')].filter(row => row.querySelector('a')).length")
                .asInt();
        for (var i = 0; i < rows + 2; i++) {
            person.press("j");
        }
        assertThat(person.isTrue("""
                [...document.querySelectorAll('[data-row]')].filter(row => row.querySelector('a')).at(-1)
                  .contains(document.activeElement)
                """)).isTrue();
    }

    @Test
    void noWordOfATableIsBroken() throws Exception {
        var name = "an-endpoint-with-a-long-name-" + "x".repeat(34);
        api.endpoint(name, receiver.uri("/long-name"), Map.of("max_attempts", 1));
        var _ = api.create("/endpoints", Map.of("name", "broken", "type", "WORKER", "spec", Map.of()));
        var _ = api.create("/queues", Map.of("name", "q".repeat(63), "weight", 1));
        var _ = api.post("/queues/" + "q".repeat(63) + "/pause", Map.of("reason", "a test"));
        person.logIn(api.key());
        for (var path : List.of("/ui/endpoints", "/ui/queues", "/ui/")) {
            person.see(path);
            assertThat(window.evaluate("""
                    [...document.querySelectorAll('td:not(:first-child), td button')].flatMap(one =>
                      [...one.childNodes].filter(node => {
                        if (node.nodeType !== 3 || /[\\s-]/.test(node.data)) {
                          return false;
                        }
                        const range = document.createRange();
                        range.selectNodeContents(node);
                        return range.getClientRects().length > 1;
                      }).map(node => node.data)).join()
                    """).asText()).as(path).isEqualTo("");
        }
    }

    @Test
    void whatACardOfAPhoneSaysStandsBesideItsLabel() throws Exception {
        var _ = api.create("/queues", Map.of("name", "carded", "weight", 1));
        var _ = api.post("/queues/carded/pause", Map.of("reason", "a test"));
        person.logIn(api.key());
        window.look(375, false);
        person.see("/ui/queues");

        assertThat(window.text()).contains("carded", "PAUSED");
        assertThat(person.isTrue("""
                [...document.querySelectorAll('td > *')].some(one => one.getBoundingClientRect().left
                  < one.parentElement.getBoundingClientRect().left + 7 * 16)
                """)).isFalse();
        person.lookWide();
    }

    @Test
    void timesFitIntoTheCardsOfANarrowPhone() throws Exception {
        api.endpoint("narrow", receiver.uri("/narrow"), Map.of("max_attempts", 1));
        var _ = api.ended(api.immediate("narrow", "narrow"));
        person.logIn(api.key());
        window.look(320, false);
        person.see("/ui/executions?endpoint=narrow");

        assertThat(person.isTrue("""
                [...document.querySelectorAll('td time')].some(time =>
                  time.getBoundingClientRect().right > time.closest('tr').getBoundingClientRect().right)
                """)).isFalse();
        person.lookWide();
    }
}
