package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.restassured.RestAssured;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Approvals: executions that wait for the decision of a person. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class ApprovalsIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** The greatest difference between the clocks of the database and of this test. */
    private static final Duration CLOCKS = Duration.ofSeconds(1);

    /** The width of a small phone, in pixels. */
    private static final int PHONE = 320;

    /** The places on the page of all that a person may press or fill in. */
    private static final String FIELDS = "[...document.querySelectorAll('input, textarea, button:not([hidden])')]"
            + ".map(it => it.getBoundingClientRect())";

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    private String announce;

    @BeforeEach
    void register() {
        receiver.clear();
        receiver.answer(Answer.of(200, "{}"));
        announce = "chat-" + NAMES.incrementAndGet();
        var _ = api.create("/endpoints", json("""
                {'name': '%s', 'type': 'HTTP', 'spec': {'url': '%s', 'method': 'POST', 'body_template':
                  {'text': '{{input.title}}', 'link': '{{input.url}}', 'reminder': '{{input.reminder}}'}}}
                """.formatted(announce, receiver.uri("/chat"))));
    }

    /** JSON that is written with single quotes. */
    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private String ask(String more) {
        return ask(more, "ada");
    }

    private String ask(String more, String by) {
        var name = "approval-" + NAMES.incrementAndGet();
        var _ = api.create("/endpoints", json("""
                {'name': '%s', 'type': 'APPROVAL', 'retry_policy': {'max_attempts': 1}, 'spec': {'announce': '%s',
                  'title': 'Deploy {{input.version}}?', 'details': 'By <{{input.by}}>'%s}}
                """.formatted(name, announce, more)));
        return api.create("/jobs", json("""
                {'endpoint': '%s', 'trigger': 'IMMEDIATE', 'idempotency_key': 'key-%s',
                  'input': {'version': '1.2 <b>', 'by': '%s'}}
                """.formatted(name, name, by)))
                .getString("job_id")
                .replace("job_", "exec_");
    }

    private static JsonPath execution(String id) {
        return api.read("/executions/" + id);
    }

    /** The path of the page that people are told of. */
    private static String page() throws InterruptedException {
        Received told = receiver.awaitCount(1, BOUND).getFirst();
        var link = JsonPath.from(told.body()).getString("link");
        assertThat(link).startsWith("http://public.invalid/approve/");
        return link.substring("http://public.invalid".length());
    }

    private static Response get(String path) {
        return RestAssured.given().port(api.port()).redirects().follow(false).get(path);
    }

    private static Response decide(String path, String name, String comment, String decision) {
        return RestAssured.given()
                .port(api.port())
                .redirects()
                .follow(false)
                .formParam("name", name)
                .formParam("comment", comment)
                .formParam("decision", decision)
                .post(path);
    }

    @Test
    void aPersonApprovesOnThePageThatIsAnnounced() throws Exception {
        var id = ask("");
        var page = page();
        var _ = api.awaitStatus(id, "DEFERRED");

        var shown = get(page);
        assertThat(shown.statusCode()).isEqualTo(200);
        assertThat(shown.contentType()).startsWith("text/html");
        assertThat(shown.header("Content-Security-Policy")).contains("default-src 'none'", "form-action 'self'");
        assertThat(shown.asString())
                .contains("<h1>Deploy 1.2 &lt;b&gt;?</h1>", "By &lt;ada&gt;", "<label for=\"name\">")
                .doesNotContain("<b>", "<script");
        assertThat(api.read("/approvals?open=true").getList("items.execution_id"))
                .contains(id);

        var told = api.read("/jobs?endpoint=" + announce).getString("items[0].job_id");
        assertThat(api.read("/jobs/" + told).getString("input.url")).isEqualTo("http://public.invalid/approve/");

        assertThat(decide(page, "Grace", "ship it", "approve").statusCode()).isEqualTo(303);

        var _ = api.awaitStatus(id, "SUCCESS");
        assertThat(get(page).asString())
                .contains("<strong>Approved</strong> by Grace")
                .doesNotContain("<form");
        assertThat(decide(page, "Grace", "ship it", "approve").statusCode()).isEqualTo(303);
        assertThat(decide(page, "Eve", "", "reject").statusCode()).isEqualTo(409);
        assertThat(api.read("/approvals?open=true").getList("items.execution_id"))
                .doesNotContain(id);
    }

    @Test
    void aReceiverThatRepeatsTheLinkDoesNotMakeItKnown() throws Exception {
        receiver.answer(told -> Answer.of(200, told.body()));
        var _ = ask("");
        var token = page().substring("/approve/".length());

        Eventually.await(
                "it is announced", BOUND, () -> "SUCCESS".equals(announced().getString("items[0].status")));

        assertThat(announced().getString("items[0].output.body")).contains("/approve/[redacted]");
        assertThat(api.get("/executions?endpoint=" + announce).asString()).doesNotContain(token);
    }

    private JsonPath announced() {
        return api.read("/executions?endpoint=" + announce);
    }

    /** In the output of the execution, with the question and in the audit log: who decided what, when and where. */
    @Test
    void aDecisionIsRecordedWithItsPersonTimeAndAddress() throws Exception {
        var id = ask("");
        var page = page();
        var _ = api.awaitStatus(id, "DEFERRED");
        var before = Instant.now().minus(CLOCKS);

        assertThat(decide(page, "Grace", "ship it", "approve").statusCode()).isEqualTo(303);

        var after = Instant.now().plus(CLOCKS);
        var output = api.awaitStatus(id, "SUCCESS").<String, String>getMap("output.json");
        assertThat(output)
                .containsEntry("decision", "approve")
                .containsEntry("by", "Grace")
                .containsEntry("via", "link")
                .containsEntry("comment", "ship it")
                .containsEntry("address", "127.0.0.1");
        assertThat(Instant.parse(String.valueOf(output.get("at")))).isBetween(before, after);
        var question = api.read("/approvals/" + id);
        assertThat(question.getString("decision")).isEqualTo("approve");
        assertThat(question.getString("decided_by")).isEqualTo("Grace");
        assertThat(question.getString("decided_via")).isEqualTo("link");
        assertThat(question.getString("address")).isEqualTo("127.0.0.1");
        assertThat(Instant.parse(question.getString("decided_at"))).isBetween(before, after);
        var entry = api.read("/audit?kind=approval&limit=1");
        assertThat(entry.getString("items[0].actor")).isEqualTo("Grace");
        assertThat(entry.getString("items[0].resource")).isEqualTo(id);
        assertThat(entry.getString("items[0].remote_address")).isEqualTo("127.0.0.1");
        assertThat(Instant.parse(entry.getString("items[0].at"))).isBetween(before, after);
    }

    @Test
    void aRejectionFailsTheExecution() throws Exception {
        var id = ask("");
        var page = page();

        assertThat(decide(page, "Grace", "not today", "reject").statusCode()).isEqualTo(303);

        var ended = api.awaitStatus(id, "FAILED");
        assertThat(ended.getString("error.type")).isEqualTo("APPROVAL_REJECTED");
        assertThat(ended.getString("error.message")).isEqualTo("Rejected by Grace: not today");
    }

    @ParameterizedTest
    @CsvSource({"fail, FAILED, DEFERRAL_TIMEOUT", "reject, FAILED, APPROVAL_REJECTED", "approve, SUCCESS,"})
    void withoutADecisionTheEndpointDecides(String onTimeout, String status, String errorType) throws Exception {
        var id = ask(", 'timeout': 'PT1S', 'on_timeout': '%s'".formatted(onTimeout));

        var ended = api.awaitStatus(id, status);

        assertThat(ended.getString("error.type")).isEqualTo(errorType);
        assertThat(get(page()).asString()).contains("closed").doesNotContain("<form");
    }

    @Test
    void theAddressOfAnAttemptThatHasFailedIsNoLongerInUse() throws Exception {
        var _ = api.create("/endpoints", json("""
                {'name': 'again', 'type': 'APPROVAL',
                  'retry_policy': {'max_attempts': 2, 'backoff': 'fixed', 'initial_delay_ms': 10},
                  'spec': {'announce': '%s', 'title': 'Again?', 'timeout': 'PT6S'}}
                """.formatted(announce)));
        var id = api.create("/jobs", Map.of("endpoint", "again", "trigger", "IMMEDIATE", "idempotency_key", "again"))
                .getString("job_id")
                .replace("job_", "exec_");
        var first = page();
        var second = JsonPath.from(receiver.awaitCount(2, BOUND).getLast().body())
                .getString("link")
                .substring("http://public.invalid".length());

        assertThat(get(first).asString()).contains("asked anew").doesNotContain("<form");
        assertThat(decide(first, "Grace", "", "approve").statusCode()).isEqualTo(409);
        assertThat(decide(second, "Grace", "", "approve").statusCode()).isEqualTo(303);
        assertThat(api.awaitStatus(id, "SUCCESS").getInt("attempt_count")).isEqualTo(2);
    }

    @Test
    void anApprovalIsNotCompletedAsAReceiverWould() throws Exception {
        var id = ask("");
        var _ = api.awaitStatus(id, "DEFERRED");

        var callback = api.post("/executions/" + id + "/callback", Map.of("status", "succeeded"));
        var refused = expectError(409, "CONFLICT", callback);
        assertThat(refused.<String>path("error.message"))
                .contains("is an approval", "POST /approvals/" + id + "/decision");
    }

    @Test
    void aDecisionDuringAPauseIsNotLostToACancellation() throws Exception {
        var _ = api.put("/queues/decisions", Map.of());
        var _ = api.create("/endpoints", json("""
                {'name': 'paused-approval', 'type': 'APPROVAL', 'spec': {'announce': '%s', 'title': 'Deploy?'}}
                """.formatted(announce)));
        var id = api.create("/jobs", json("""
                {'endpoint': 'paused-approval', 'trigger': 'IMMEDIATE', 'idempotency_key': 'paused-approval',
                  'queue': 'decisions'}
                """)).getString("job_id").replace("job_", "exec_");
        var _ = api.awaitStatus(id, "DEFERRED");
        var _ = api.act("/queues/decisions/pause");
        // A worker may go on by what it has seen of the queue within the last 150 ms.
        Thread.sleep(500);

        var decided = api.post("/approvals/" + id + "/decision", Map.of("decision", "approve"));
        assertThat(decided.statusCode()).as(decided.asString()).isEqualTo(200);
        var refused = expectError(409, "EXECUTION_NOT_CANCELLABLE", api.post("/executions/" + id + "/cancel", ""));
        assertThat(refused.<String>path("error.message")).contains("a person has decided about it");
        expectError(409, "EXECUTION_NOT_CANCELLABLE", api.post("/jobs/" + id.replace("exec_", "job_") + "/cancel", ""));
        assertThat(execution(id).getString("status")).isEqualTo("DEFERRED");
        var callback = api.post("/executions/" + id + "/callback", Map.of("status", "succeeded"));
        assertThat(expectError(409, "CONFLICT", callback).<String>path("error.message"))
                .contains("is an approval")
                .doesNotContain("waits");

        var _ = api.act("/queues/decisions/resume");
        assertThat(api.awaitStatus(id, "SUCCESS").getString("output.json.decision"))
                .isEqualTo("approve");
    }

    @Test
    void ofManyDecisionsAtOnceOneCounts() throws Exception {
        var id = ask("");
        var page = page();

        var statuses = IntStream.range(0, 10)
                .parallel()
                .mapToObj(i -> decide(page, "Person " + i, "", i % 2 == 0 ? "approve" : "reject")
                        .statusCode())
                .toList();

        assertThat(statuses).containsOnlyOnce(303).contains(409);
        Eventually.await("it has ended", BOUND, () -> execution(id).getString("completed_at") != null);
    }

    @Test
    void aFormThatIsNotFilledInIsShownAgain() throws Exception {
        var id = ask("");
        var page = page();
        var _ = api.awaitStatus(id, "DEFERRED");

        assertThat(decide(page, " ", "because <i>", "approve").asString())
                .contains("role=\"alert\"", "Please give your name", "because &lt;i&gt;");
        assertThat(decide(page, "Grace", "", "maybe").statusCode()).isEqualTo(400);
        assertThat(decide(page, "x".repeat(200), "", "approve").statusCode()).isEqualTo(400);
        assertThat(get("/approve/k1.AAAA").statusCode()).isEqualTo(404);
        assertThat(decide("/approve/k1.AAAA", "Grace", "", "approve").statusCode())
                .isEqualTo(404);
        assertThat(execution(id).getString("status")).isEqualTo("DEFERRED");
    }

    @Test
    void anApiKeyDecidesToo() throws Exception {
        var id = ask("");
        var _ = page();

        var nothing = api.get("/approvals/exec_zz");
        expectError(404, "APPROVAL_NOT_FOUND", nothing);
        assertThat(nothing.asString()).contains("The execution 'exec_zz' has asked nothing, or does not exist.");
        expectError(400, "INVALID_REQUEST", api.post("/approvals/" + id + "/decision", "{\"decision\": \"maybe\"}"));
        var decided = api.post("/approvals/" + id + "/decision", Map.of("decision", "approve", "comment", "fine"));
        assertThat(decided.statusCode()).as(decided.asString()).isEqualTo(200);
        assertThat(decided.jsonPath().getString("decided_by")).isEqualTo("bootstrap");
        expectError(409, "APPROVAL_DECIDED", api.post("/approvals/" + id + "/decision", Map.of("decision", "reject")));
        assertThat(api.awaitStatus(id, "SUCCESS").getString("output.json.comment"))
                .isEqualTo("fine");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "'announce': 'nowhere', 'title': 'x'                       | 404 | ENDPOINT_NOT_FOUND",
                "'announce': '%s'                                          | 400 | INVALID_REQUEST",
                "'announce': '%s', 'title': 'x', 'remind_every': 'PT1S'    | 400 | INVALID_REQUEST",
                "'announce': '%s', 'title': 'x', 'timeout': 'P400D'        | 400 | INVALID_REQUEST",
                "'announce': '%s', 'title': 'x', 'on_timeout': 'wait'      | 400 | INVALID_REQUEST",
                "'announce': '%s', 'title': '{{secret.x}}'                 | 422 | TEMPLATE_RESOLUTION_FAILED",
                "'announce': 'myself', 'title': 'x'                        | 400 | INVALID_REQUEST",
                "'announce': 'asks', 'title': 'x'                          | 400 | INVALID_REQUEST"
            })
    void anApprovalThatCannotBeIsRefused(String spec, int status, String code) {
        if (spec.contains("asks")) {
            var _ = api.create(
                    "/endpoints",
                    json("{'name': 'asks', 'type': 'APPROVAL', 'spec': {'announce': '%s',".formatted(announce)
                            + " 'title': 'x'}}"));
        }
        expectError(
                status,
                code,
                api.post(
                        "/endpoints",
                        json("{'name': 'myself', 'type': 'APPROVAL', 'spec': {%s}}"
                                .formatted(spec.replace("%s", announce)))));
    }

    @Test
    void anEndpointThatIsToAnnounceAndDoesNotExistIsPointedAt() {
        var refused = expectError(404, "ENDPOINT_NOT_FOUND", api.post("/endpoints", json("""
                        {'name': 'mute', 'type': 'APPROVAL', 'spec': {'announce': 'nowhere', 'title': 'x'}}
                        """)));

        assertThat(refused.<String>path("error.details[0].pointer")).isEqualTo("/spec/announce");
    }

    private static Browser browser() {
        var browser = Browser.find();
        assumeThat(browser)
                .as("no Chromium is installed here, so the page was not tried in a browser")
                .isNotNull();
        return Objects.requireNonNull(browser);
    }

    /** A real browser draws the page and sends the form, where one is installed. */
    @Test
    void thePageWorksInABrowser() throws Exception {
        var browser = browser();
        var id = ask("");
        var page = page();
        var _ = api.awaitStatus(id, "DEFERRED");

        try (var window = browser.open(api.uri(page).toString())) {
            decideByKeyboard(window);
        }
        assertThat(api.awaitStatus(id, "SUCCESS").getString("output.json.by")).isEqualTo("Grace");
    }

    /** By the keyboard alone: name, comment, Approve. */
    private static void decideByKeyboard(Browser.Window window) throws InterruptedException {
        window.awaitText("Deploy 1.2 <b>?");
        window.press("Tab");
        window.type("Grace");
        window.press("Tab");
        window.press("Tab");
        window.press("Enter");
        Eventually.await("the decision is shown", BOUND, () -> window.text().contains("Approved by Grace"));
    }

    @Test
    void thePageWorksWithoutJavaScript() throws Exception {
        var browser = browser();
        var id = ask("");
        var page = page();
        var _ = api.awaitStatus(id, "DEFERRED");

        try (var window = browser.open("about:blank")) {
            window.switchScriptsOff();
            window.go("data:text/html,<script>document.write('scripts are on')</script><noscript>off</noscript>");
            window.awaitText("off");
            assertThat(window.text()).doesNotContain("scripts are on");
            window.go(api.uri(page).toString());
            decideByKeyboard(window);
        }
        assertThat(api.awaitStatus(id, "SUCCESS").getString("output.json.by")).isEqualTo("Grace");
    }

    /** On a phone nothing is cut off at the side, and fingers find what they may press. */
    @Test
    void thePageFitsAPhone() throws Exception {
        var browser = browser();
        var id = ask("", "wide".repeat(200));
        var page = page();
        var _ = api.awaitStatus(id, "DEFERRED");

        try (var window = browser.open("about:blank")) {
            window.look(PHONE, false);
            window.go(api.uri(page).toString());
            window.awaitText("Deploy 1.2 <b>?");
            assertThat(window.evaluate("innerWidth").asInt()).isEqualTo(PHONE);
            assertThat(window.evaluate("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(PHONE);
            assertThat(window.evaluate(FIELDS + ".every(it => it.left >= 0 && it.right <= innerWidth)")
                            .asBoolean())
                    .isTrue();
            assertThat(window.evaluate(FIELDS + ".every(it => it.height >= 44)").asBoolean())
                    .isTrue();
        }
    }
}
