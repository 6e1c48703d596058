package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Scripts in everything that people write, shown by a browser that would run them: they are text. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class DashboardXssIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    /** Each sets {@code window.xss} where it is not text. */
    private static final List<String> PAYLOADS = List.of(
            "<script>xss=1</script>",
            "<img src=x onerror=xss=1>",
            "\"><svg onload=xss=1>",
            "' autofocus onfocus=xss=1 x='",
            "\" onmouseover=xss=1 \"",
            "</pre></textarea></title><script>xss=1</script>",
            "<a href=\"javascript:xss=1\">a</a>",
            "<iframe srcdoc=\"<script>parent.xss=1</script>\"></iframe>",
            "<details open ontoggle=xss=1>",
            "<input autofocus onfocus=xss=1>",
            "<math><mtext><table><mglyph><style><img src=x onerror=xss=1>",
            "<body onload=xss=1>",
            "&lt;img src=x onerror=xss=1&gt;",
            "{title}{#each}{{input.n}}{|<script>xss=1</script>|}",
            "<div hx-on:load=\"xss=1\" hx-get=/ui/ hx-trigger=load>",
            "<base href=//evil.invalid><meta http-equiv=refresh content=0;url=//evil.invalid>",
            "<style>*{display:none}</style>",
            "--><!--><script>xss=1</script><!--");

    private static final String CORPUS = String.join("\n", PAYLOADS);

    /** In fields of one line and at most 255 characters. */
    private static final String SHORT = String.join(" ", PAYLOADS.subList(0, 6));

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    private static DashboardWindow person;

    /** Pages, each with a text that it must show. */
    private static final Map<String, String> pages = new LinkedHashMap<>();

    @BeforeAll
    static void open() throws Exception {
        person = DashboardWindow.open(api);
        person.browser().beginPagesWith("""
                window.violations = [];
                document.addEventListener('securitypolicyviolation',
                  event => violations.push(event.violatedDirective + ' ' + event.sourceFile + ' ' + event.sample));
                """);
        person.logIn(api.key());
    }

    @AfterAll
    static void close() {
        if (person != null) {
            person.close();
        }
    }

    @Test
    void thePayloadsRunWhereNothingMakesTextOfThem() throws Exception {
        for (var payload : List.of(PAYLOADS.get(0), PAYLOADS.get(1), PAYLOADS.get(2), PAYLOADS.get(8))) {
            person.browser().go("about:blank");
            var _ = person.browser().evaluate("document.write(" + quoted(payload) + "); document.close()");
            Eventually.await(payload, BOUND, () -> person.isTrue("window.xss === 1"));
        }
    }

    @Test
    void whatPeopleHaveWrittenIsTextOnEachPage() throws Exception {
        writeExecutions();
        writePauses();
        writeWorkflow();
        writeApprovals();
        writeVersions();
        pages.put("/ui/audit", PAYLOADS.get(1));
        pages.put("/ui/search?q=" + encoded(SHORT), PAYLOADS.get(1));
        pages.put("/ui/executions?endpoint=" + encoded(SHORT) + "&tag=" + encoded(SHORT), "Executions");
        pages.put("/ui/nothing?x=" + encoded(SHORT), "There is no such page");

        for (var page : pages.entrySet()) {
            person.see(page.getKey());
            person.browser().awaitText(page.getValue());
            assertThat(unsafe()).as(page.getKey()).isEqualTo("");
            // What a person does may run what a page alone does not.
            var _ = person.browser().evaluate("""
                    document.querySelectorAll('details').forEach(one => { one.open = true; });
                    document.querySelectorAll('main *').forEach(one =>
                      ['mouseover', 'focus', 'load', 'toggle'].forEach(type => one.dispatchEvent(new Event(type))));
                    """);
            assertThat(unsafe()).as(page.getKey() + ", used").isEqualTo("");
        }
    }

    /** What ran, what the policy has forbidden, and elements that no template has. */
    private static String unsafe() {
        return person.browser().evaluate("""
                [window.xss === undefined ? '' : 'a script ran', ...window.violations,
                  ...[...document.querySelectorAll(
                    'main script, main img, main iframe, main style, main base, main meta, main math,'
                      + ' main a[href^="javascript:"], main [hx-on\\\\:load]')].map(one => one.outerHTML),
                  ...[...document.querySelectorAll('*')].flatMap(one => one.getAttributeNames()
                    .filter(name => name.startsWith('on')).map(name => one.tagName + ' ' + name))]
                  .filter(one => one).join('; ')
                """).asText();
    }

    private static void writeExecutions() throws InterruptedException {
        for (var status : new int[] {200, 500}) {
            var name = "xss-" + status;
            receiver.answer(Answer.of(status, CORPUS).with("X-Text", PAYLOADS.get(1)));
            var spec = Map.of(
                    "url", receiver.uri("/x?a=%3Cscript%3E").toString(),
                    "method", "POST",
                    "headers", Map.of("X-Text", PAYLOADS.get(1)),
                    "body_template", Map.of("text", "{{input.text}}"));
            var _ = api.create(
                    "/endpoints",
                    Map.of(
                            "name",
                            name,
                            "queue",
                            "script-queue",
                            "type",
                            "HTTP",
                            "spec",
                            spec,
                            "retry_policy",
                            once()));
            var job = api.create("/jobs", job(name, CORPUS));
            var id = job.getString("execution.execution_id");
            var _ = api.ended(id);
            pages.put("/ui/executions/" + id, PAYLOADS.get(1));
            pages.put("/ui/jobs/" + job.getString("job_id"), PAYLOADS.get(1));
            pages.put("/ui/endpoints/" + name, PAYLOADS.get(1));
        }
        pages.put("/ui/", "HTTP_ERROR");
        pages.put("/ui/dead-letters", "HTTP_ERROR");
        pages.put("/ui/executions", "HTTP_ERROR");
        pages.put("/ui/jobs", "IMMEDIATE");
        defer();
    }

    /** An execution with a message of progress. */
    private static void defer() throws InterruptedException {
        receiver.answer(Answer.of(202, "{}").with("Taskexec-Defer", "callback; timeout=600"));
        var spec = Map.of("url", receiver.uri("/later").toString(), "method", "POST");
        var completion = Map.of("modes", List.of("callback"), "timeout", "PT1H");
        var _ = api.create(
                "/endpoints", Map.of("name", "xss-later", "type", "HTTP", "spec", spec, "completion", completion));
        var id = api.immediate("xss-later", "later");
        Eventually.await(
                "it waits",
                BOUND,
                () -> api.read("/executions/" + id).getString("status").equals("DEFERRED"));
        var progress = Map.of("current", 1, "total", 2, "message", CORPUS);
        assertThat(api.post("/executions/" + id + "/callback", Map.of("status", "progress", "progress", progress))
                        .statusCode())
                .isEqualTo(200);
        pages.put("/ui/executions/" + id, PAYLOADS.get(1));
    }

    private static Map<String, Object> once() {
        return Map.of("max_attempts", 1);
    }

    private static Map<String, Object> job(String endpoint, String key) {
        return Map.of(
                "endpoint",
                endpoint,
                "trigger",
                "IMMEDIATE",
                "idempotency_key",
                key.substring(0, Math.min(250, key.length())),
                "input",
                Map.of("text", CORPUS, CORPUS, 1));
    }

    private static void writePauses() {
        assertThat(api.post("/queues/script-queue/pause", Map.of("reason", SHORT))
                        .statusCode())
                .isEqualTo(200);
        pages.put("/ui/queues/script-queue", PAYLOADS.get(1));
        pages.put("/ui/queues", "script-queue");
        api.endpoint("xss-flow", receiver.uri("/flow"), once());
        var schedule = Map.of(
                "endpoint", "xss-flow",
                "cron", "0 9 * * *",
                "timezone", "UTC",
                "idempotency_key", "daily" + PAYLOADS.get(1),
                "input", Map.of("text", CORPUS));
        var id = api.create("/jobs", schedule).getString("job_id");
        assertThat(api.post("/jobs/" + id + "/pause", Map.of("reason", SHORT)).statusCode())
                .isEqualTo(200);
        pages.put("/ui/schedules/" + id, PAYLOADS.get(1));
        pages.put("/ui/schedules", "PAUSED");
        pages.put("/ui/forecast", "Forecast");
    }

    private static void writeWorkflow() {
        // Jobs of a workflow have no input of their own to take values from.
        var text = CORPUS.replace("{{input.n}}", "");
        var job = Map.of("endpoint", "xss-flow", "input", Map.of("text", text));
        var run = Map.of(
                "name",
                "xss-run",
                "idempotency_key",
                "run" + PAYLOADS.get(1),
                "input",
                Map.of("text", text),
                "jobs",
                Map.of("only", job));
        var id = api.create("/workflows", run).getString("workflow_id");
        pages.put("/ui/workflows/" + id, PAYLOADS.get(1));
        pages.put("/ui/workflows", "xss-run");
    }

    /** Questions of which one is open, one was decided with a key, and one on the page that people are told of. */
    private static void writeApprovals() throws InterruptedException {
        receiver.clear();
        receiver.answer(Answer.of(200, "{}"));
        var told = Map.of(
                "url", receiver.uri("/told").toString(),
                "method", "POST",
                "body_template", Map.of("link", "{{input.url}}"));
        var _ = api.create("/endpoints", Map.of("name", "xss-told", "type", "HTTP", "spec", told));
        var spec = Map.of("announce", "xss-told", "title", "{{input.title}}", "details", "{{input.details}}");
        var _ = api.create("/endpoints", Map.of("name", "xss-ask", "type", "APPROVAL", "spec", spec));

        var onPage = ask("on-page");
        var link =
                JsonPath.from(receiver.awaitCount(1, BOUND).getFirst().body()).getString("link");
        assertThat(api.bare()
                        .formParam("name", PAYLOADS.get(1))
                        .formParam("comment", CORPUS)
                        .formParam("decision", "approve")
                        .redirects()
                        .follow(false)
                        .post(link.replace("http://public.invalid", ""))
                        .statusCode())
                .isEqualTo(303);
        var _ = api.ended(onPage);
        var rejected = ask("rejected");
        assertThat(api.post(
                                "/approvals/" + rejected + "/decision",
                                Map.of("decision", "reject", "comment", "comment " + CORPUS))
                        .statusCode())
                .isEqualTo(200);
        var _ = ask("open");
        pages.put("/ui/approvals", PAYLOADS.get(1));
        pages.put("/ui/approvals?open=false", "comment " + PAYLOADS.getFirst());
    }

    private static String ask(String key) throws InterruptedException {
        var question = Map.of(
                "endpoint",
                "xss-ask",
                "trigger",
                "IMMEDIATE",
                "idempotency_key",
                key,
                "input",
                Map.of("title", SHORT, "details", CORPUS));
        var id = api.create("/jobs", question).getString("execution.execution_id");
        Eventually.await(
                "it asks",
                BOUND,
                () -> api.read("/executions/" + id).getString("status").equals("DEFERRED"));
        pages.put("/ui/executions/" + id, PAYLOADS.get(1));
        return id;
    }

    private static void writeVersions() {
        for (var payload : PAYLOADS.subList(0, 2)) {
            var endpoint = new LinkedHashMap<>(Api.posting("xss-flow", receiver.uri("/flow"), once()));
            var spec = Map.of(
                    "url", receiver.uri("/flow").toString(),
                    "method", "POST",
                    "body_template", Map.of("version", payload));
            endpoint.put("spec", spec);
            endpoint.put("flow", Map.of("key", payload, "max_concurrency", 1));
            var _ = api.update("/endpoints/xss-flow", endpoint);
        }
        pages.put("/ui/endpoints/xss-flow", PAYLOADS.get(1));
        var flow = api.create("/jobs", job("xss-flow", "flow" + Instant.now()));
        pages.put("/ui/jobs/" + flow.getString("job_id"), "Flow key");
        pages.put("/ui/endpoints", "xss-flow");
    }

    private static String quoted(String text) {
        return TextNode.valueOf(text).toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
