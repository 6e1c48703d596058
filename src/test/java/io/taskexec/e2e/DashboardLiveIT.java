package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Live updates in Chromium: nothing that a person is about to use moves, or becomes something else. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class DashboardLiveIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    /** The old part is no longer on the page. */
    private static final String IS_UNMOVED = """
            window.isTheSamePage === true && document.contains(window.used)
              && (box => Math.abs(box.left - place.left) + Math.abs(box.top - place.top) < 2)
                (used.getBoundingClientRect())
            """;

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
    void begin() throws InterruptedException {
        window.point(0, 0);
        person.logIn(api.key());
    }

    /** Shows an execution that runs until the result is complete. */
    private static CompletableFuture<@Nullable Void> running(String endpoint) throws InterruptedException {
        var answered = new CompletableFuture<@Nullable Void>();
        receiver.answer(Answer.of(200, "{\"sent\": true}").after(answered));
        api.endpoint(endpoint, receiver.uri("/" + endpoint), Map.of("max_attempts", 1));
        var id = api.immediate(endpoint, endpoint);
        person.see("/ui/executions/" + id);
        window.awaitText("RUNNING");
        window.awaitText("abort its call");
        window.awaitText("Live");
        return answered;
    }

    private static void remember(String selector) {
        var _ = window.evaluate("""
                (() => { const one = document.querySelector('%s'); window.isTheSamePage = true; window.used = one;
                  window.place = one.getBoundingClientRect(); })()
                """.formatted(selector));
    }

    @Test
    void aButtonUnderThePointerStaysWhatItIsUntilThePointerLeaves() throws Exception {
        var answered = running("pointed");
        window.point("#part-actions button.danger");
        remember("#part-actions button.danger");

        answered.complete(null);
        window.awaitText("SUCCESS");
        window.awaitText("sent");
        window.awaitText("Show what has changed");

        assertThat(person.isTrue(IS_UNMOVED)).isTrue();
        window.point("#part-state h1");
        Eventually.await("the buttons are those of now", BOUND, () -> person.isTrue("!document.contains(window.used)"));
        assertThat(person.isTrue("document.querySelector('#part-actions form').action.endsWith('/retry')"))
                .isTrue();
        assertThat(person.isTrue("document.getElementById('held').hidden")).isTrue();
    }

    @Test
    void aButtonWithTheFocusStaysWhatItIsUntilAPersonAsksForTheChange() throws Exception {
        var answered = running("focused");
        var _ = window.evaluate("document.querySelector('#part-actions button.danger').focus()");
        remember("#part-actions button.danger");

        answered.complete(null);
        window.awaitText("SUCCESS");
        window.awaitText("Show what has changed");

        assertThat(person.isTrue(IS_UNMOVED)).isTrue();
        assertThat(person.isTrue("document.activeElement === window.used")).isTrue();
        var _ = window.evaluate("document.getElementById('held').focus(); document.getElementById('held').click()");
        Eventually.await("the buttons are those of now", BOUND, () -> person.isTrue("!document.contains(window.used)"));
        assertThat(person.isTrue("document.getElementById('held').hidden")).isTrue();
    }

    @Test
    void whatHappensBeforeTheFirstEventIsShownToo() throws Exception {
        api.endpoint("early", receiver.uri("/early"), Map.of("max_attempts", 1));
        for (var path : List.of(
                "/ui/executions/%s", "/ui/executions?endpoint=early", "/ui/executions?endpoint=early&status=RUNNING")) {
            var answered = new CompletableFuture<@Nullable Void>();
            receiver.answer(Answer.of(200, "{\"sent\": true}").after(answered));
            var id = api.immediate("early", path);
            Eventually.await(
                    "it runs",
                    BOUND,
                    () -> api.read("/executions/" + id).getString("status").equals("RUNNING"));
            window.keepBack("*/ui/events*");
            person.see(path.formatted(id));
            assertThat(person.isTrue("!!document.querySelector('.badge.running')"))
                    .isTrue();

            answered.complete(null);
            var _ = api.ended(id);
            assertThat(person.isTrue("document.getElementById('live').textContent !== 'Live'"))
                    .isTrue();
            window.release();

            Eventually.await(
                    path,
                    BOUND,
                    () -> person.isTrue(
                            "!!document.querySelector('#%1$s .badge.success, [data-live-id=%1$s] .badge.success')"
                                    .formatted(id)));
        }
    }

    @Test
    void whatStandsBelowAChangeStaysUnderThePointer() throws Exception {
        var answered = running("below");
        // The response is shown above the log and is taller than the hint before it.
        window.point("#log");
        remember("#log");

        answered.complete(null);
        window.awaitText("SUCCESS");
        Eventually.await("the log is read", BOUND, () -> person.isTrue("!document.getElementById('held').hidden"));

        assertThat(person.isTrue(IS_UNMOVED)).isTrue();
        window.point(0, 0);
        window.awaitText("sent");
    }

    @Test
    void whatAPersonHasOpenedStaysOpenThoughAnotherAttemptComesBefore() throws Exception {
        var answered = new CompletableFuture<@Nullable Void>();
        receiver.answer(Answer.of(500, "first").after(answered));
        api.endpoint(
                "opened",
                receiver.uri("/opened"),
                Map.of("max_attempts", 2, "backoff", "fixed", "initial_delay_ms", 100));
        person.see("/ui/executions/" + api.immediate("opened", "opened"));
        window.awaitText("Attempt 1");
        window.awaitText("Live");
        var _ = window.evaluate("document.querySelector('#attempt-1 summary').click(); window.isTheSamePage = true");

        answered.complete(null);
        window.awaitText("Attempt 2");
        window.awaitText("HTTP_ERROR");

        assertThat(person.isTrue("document.getElementById('attempt-1').open && window.isTheSamePage"))
                .isTrue();
        assertThat(person.isTrue("document.getElementById('attempt-2').open")).isFalse();
    }

    @Test
    void aReadingThatFailsIsMadeAgain() throws Exception {
        var answered = running("unread");
        var _ = window.evaluate("""
                (() => {
                  const open = XMLHttpRequest.prototype.open;
                  window.isTheSamePage = true;
                  XMLHttpRequest.prototype.open = function (method, url, ...more) {
                    // The policy of the page forbids to read elsewhere.
                    open.call(this, method, window.hasFailed ? url : 'http://127.0.0.1:1/', ...more);
                    window.hasFailed = true;
                  };
                })()
                """);

        answered.complete(null);
        window.awaitText("SUCCESS");

        assertThat(person.isTrue("window.hasFailed && window.isTheSamePage")).isTrue();
    }

    /** Shows the executions of an endpoint, of which some have ended. */
    private static void listed(String endpoint) throws InterruptedException {
        receiver.answer(Answer.of(200, "{}"));
        api.endpoint(endpoint, receiver.uri("/" + endpoint), Map.of("max_attempts", 1));
        for (var i = 0; i < 3; i++) {
            var _ = api.ended(api.immediate(endpoint, endpoint + i));
        }
        person.see("/ui/executions?endpoint=" + endpoint);
        window.awaitText("Live");
        assertThat(window.text()).doesNotContain("New executions");
    }

    @Test
    void theOfferOfWhatIsNewMovesNothing() throws Exception {
        listed("offered");
        window.point("tr:nth-child(3) a");
        remember("tr:nth-child(3) a");

        var _ = api.immediate("offered", "new");
        window.awaitText("New executions");

        assertThat(person.isTrue(IS_UNMOVED)).isTrue();
    }

    @Test
    void whatHasComeWhileAListWasHiddenIsOffered() throws Exception {
        listed("hidden");

        hide(true);
        var _ = api.ended(api.immediate("hidden", "new"));
        hide(false);

        window.awaitText("New executions");
    }

    private static void hide(boolean isHidden) {
        var _ = window.evaluate("""
                Object.defineProperty(document, 'hidden', {value: %s, configurable: true});
                document.dispatchEvent(new Event('visibilitychange'))
                """.formatted(isHidden));
    }

    /** So that all that is seen from now on was told by events. */
    private static void switchRegularReadingOff(String id) {
        var _ = window.evaluate(
                "document.getElementById('%s').removeAttribute('data-refresh'); window.isTheSamePage = true"
                        .formatted(id));
    }

    @Test
    void thePageOfAJobIsLiveAsAWhole() throws Exception {
        var answered = new CompletableFuture<@Nullable Void>();
        receiver.answer(Answer.of(200, "{}").after(answered));
        api.endpoint("whole", receiver.uri("/whole"), Map.of("max_attempts", 1));
        var id = api.immediate("whole", "whole");
        person.see("/ui/jobs/" + api.read("/executions/" + id).getString("job_id"));
        window.awaitText("Live");
        switchRegularReadingOff("job");
        window.awaitText("abort its call");

        answered.complete(null);
        window.awaitText("RETIRED");

        assertThat(window.text()).contains("SUCCESS", "Under way\n0").doesNotContain("abort its call", "ACTIVE");
        assertThat(person.isTrue("window.isTheSamePage")).isTrue();
    }

    @Test
    void theRunOfAWorkflowIsLiveFromItsStartToItsEnd() throws Exception {
        var first = new CompletableFuture<@Nullable Void>();
        var second = new CompletableFuture<@Nullable Void>();
        receiver.answer(request -> Answer.of(200, "{}").after(request.path().endsWith("second") ? second : first));
        api.endpoint("run-first", receiver.uri("/first"), Map.of("max_attempts", 1));
        api.endpoint("run-second", receiver.uri("/second"), Map.of("max_attempts", 1));
        // The endpoints want an input. The jobs are listed in this order.
        var input = Map.of("n", 1);
        var jobs = new LinkedHashMap<String, Object>();
        jobs.put("one", Map.of("endpoint", "run-first", "input", input));
        jobs.put("two", Map.of("endpoint", "run-second", "input", input, "depends_on", List.of("one")));
        var run = api.create(
                "/workflows", Map.of("name", "live", "idempotency_key", "live", "delay", "PT1H", "jobs", jobs));
        person.see("/ui/workflows/" + run.getString("workflow_id"));
        window.awaitText("Live");
        switchRegularReadingOff("workflow");

        assertThat(api.post("/jobs/" + run.getString("job_id") + "/trigger", Map.of())
                        .statusCode())
                .isLessThan(300);
        awaitSeen("#part-jobs tr:nth-child(1) .badge.running");
        first.complete(null);
        awaitSeen("#part-jobs tr:nth-child(2) .badge.running");
        second.complete(null);
        awaitSeen("#part-state .badge.success");

        assertThat(window.text()).contains("2 success", "Replay all");
        assertThat(person.isTrue("window.isTheSamePage")).isTrue();
    }

    private static void awaitSeen(String selector) throws InterruptedException {
        Eventually.await(
                selector,
                BOUND,
                () -> person.isTrue("!!document.querySelector('" + selector + "')") ? "" : window.text(),
                String::isEmpty);
    }

    @Test
    void anOverviewChangesAroundWhatIsPointedAt() throws Exception {
        person.see("/ui/");
        window.awaitText("Live");
        window.point("#part-queues a");
        remember("#part-queues a");
        receiver.answer(Answer.of(500, "no"));
        api.endpoint("overseen", receiver.uri("/overseen"), Map.of("max_attempts", 1));
        var id = api.immediate("overseen", "overseen");
        var _ = api.ended(id);

        Eventually.await(
                "the failure is shown, or waits until the pointer has gone",
                BOUND,
                () -> person.isTrue(
                        "!!document.getElementById('%s') || !document.getElementById('held').hidden".formatted(id)));
        assertThat(person.isTrue(IS_UNMOVED)).isTrue();
        window.point(0, 0);
        Eventually.await("the failure is shown", BOUND, () -> person.isTrue("!!document.getElementById('" + id + "')"));
    }
}
