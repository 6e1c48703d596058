package io.taskexec.web.frame;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TemplatesTest {
    private static final String CAPPED = """
            'ready': 10000, 'running': 1000, 'scheduled': 7, 'parked': 12345, 'more': ['parked', 'ready']
            """;

    private static final Map<String, Boolean> OPERATOR = Map.of("jobs", true, "admin", false);

    private final Templates templates = new Templates();

    private static JsonNode tree(String text) throws Exception {
        return Json.parse(text.replace('\'', '"'));
    }

    /** A page within its frame, as a person sees it who may only read. */
    private String page(String name, Map<String, Object> data) {
        var all = new HashMap<String, @Nullable Object>(data);
        for (var absent : List.of("notice", "events", "versions")) {
            all.putIfAbsent(absent, null);
        }
        all.put("title", name);
        all.put("theme", "auto");
        all.put("zone", "UTC");
        all.put("here", "/ui/");
        all.put("mark", "mark");
        all.put("user", "reader");
        all.put("isPerson", false);
        all.put("isLive", false);
        all.put("isFurther", false);
        all.putIfAbsent("may", Map.of("jobs", false, "admin", false));
        all.put("navigation", List.of());
        all.put("assets", Map.of("app_css", "a.css", "app_js", "a.js", "htmx_js", "h.js", "icon_svg", "i.svg"));
        all.put("show", new Display(ZoneOffset.UTC));
        return templates.render(name, all);
    }

    private String endpoint(String breaker, String minute) throws Exception {
        var endpoint = tree("""
                {'name': 'mail', 'type': 'HTTP', 'version': 1, 'queue': 'default', 'spec': {'method': 'POST'},
                  'retry_policy': {'max_attempts': 1}, 'on_success': 'done', 'on_worker_lost': 'retry',
                  'preemptible': false, 'completion': {'mode': 'callback', 'timeout': 'PT1H'},
                  'updated_at': '2026-05-01T12:00:00Z'}
                """);
        return page("endpoint", Map.of("endpoint", endpoint, "breaker", tree(breaker), "minute", tree(minute)));
    }

    @Test
    void theOverviewMarksCountsThatAreLowerBounds() throws Exception {
        var now = tree("{'totals': {%1$s}, 'queues': {'items': [{'name': 'mail', %1$s}]}}".formatted(CAPPED));
        var page = page(
                "overview",
                Map.of(
                        "now",
                        now,
                        "attention",
                        List.of(),
                        "isDay",
                        false,
                        "charts",
                        List.of(),
                        "failures",
                        List.of(),
                        "moreFailures",
                        false));

        assertThat(page)
                .contains("<dt>Ready</dt><dd>10,000+</dd>", "<dt>Running</dt><dd>1,000</dd>")
                .contains("<dt>Scheduled</dt><dd>7</dd>", "<dt>Parked</dt><dd>12,345+</dd>")
                .contains("data-label=\"Ready\" class=\"n\">10,000+<", "data-label=\"Parked\" class=\"n\">12,345+<")
                .contains("data-label=\"Scheduled\" class=\"n\">7<");
    }

    @Test
    void queuesMarkCountsThatAreLowerBounds() throws Exception {
        var list = tree("{'cursor': null, 'items': [{'name': 'mail', 'weight': 1, 'load': {%s}}]}".formatted(CAPPED));
        var queue = tree("{'name': 'mail', 'weight': 1}");

        assertThat(page("queues", Map.of("list", list)))
                .contains("data-label=\"Ready\" class=\"n\">10,000+<", "data-label=\"Running\" class=\"n\">1,000<");
        var data = Map.of("queue", queue, "load", tree("{%s}".formatted(CAPPED)), "isOfWorkers", false);
        assertThat(page("queue", data))
                .contains("<dt>Ready</dt><dd>10,000+</dd>", "<dt>Running</dt><dd>1,000</dd>")
                .contains("<dt>Scheduled</dt><dd>7</dd>", "<dt>Parked</dt><dd>12,345+</dd>");
    }

    @Test
    void anEndpointMarksHowManyAreParkedAtLeast() throws Exception {
        var minute = "{'attempts': 5, 'failures': 1, 'parked': 10000, 'more': ['lines', 'parked', 'places']}";

        assertThat(endpoint("{'state': 'CLOSED'}", minute)).contains("<dt>Parked</dt><dd>10,000+</dd>");
    }

    @Test
    void anEndpointShowsAllOfItsDefinition() throws Exception {
        assertThat(endpoint("{'state': 'CLOSED'}", "{'attempts': 5, 'failures': 1}"))
                .contains("<dt>On success</dt><dd><a href=\"/ui/endpoints/done\">", "<dd>retry</dd>")
                .contains("<dt>Preemptible</dt><dd>no</dd>", "<h2 id=\"completion\">Completion</h2>", "PT1H")
                .doesNotContain("On failure");
    }

    @Test
    void aTickAndAnExecutionAreCountedInTheSingular() throws Exception {
        var data = new HashMap<String, Object>(Map.of("id", "job_1", "from", "a", "to", "b", "isMore", false));
        data.putAll(Map.of("count", 1, "ticks", List.of()));
        assertThat(page("backfill", data)).contains("there is <b>1</b> tick.");
        data.put("count", 2);
        assertThat(page("backfill", data)).contains("there are <b>2</b> ticks.");

        var preview = new HashMap<String, Object>(Map.of("rate", 1, "max", "", "seconds", 1.0));
        preview.putAll(Map.of("filter", tree("{'query': ''}"), "preview", tree("{'count': 1, 'sample': []}")));
        assertThat(page("preview", preview)).contains("<b>1</b> execution, 1 a second");
        preview.put("preview", tree("{'count': 2, 'sample': []}"));
        assertThat(page("preview", preview)).contains("<b>2</b> executions, 1 a second");
    }

    @Test
    void aBreakerSaysWhyItIsOpenOrHadOpened() throws Exception {
        var breaker = "{'state': '%s', 'since': '2026-05-01T12:00:00Z', 'reason': '5 of 10 failed'}";
        var minute = "{'attempts': 5, 'failures': 1}";

        assertThat(endpoint(breaker.formatted("OPEN"), minute))
                .contains("5 of 10 failed · since <time")
                .doesNotContain("Closed since");
        assertThat(endpoint(breaker.formatted("CLOSED"), minute))
                .contains("Closed since <time", "</time>; it had opened because: 5 of 10 failed</p>")
                .doesNotContain("· since");
        assertThat(endpoint("{'state': 'CLOSED'}", minute)).doesNotContain("since", "because");
    }

    /** A question without a decision, in the list of those that are open or in the other one. */
    private String question(boolean isOpen) throws Exception {
        var list = tree("""
                {'items': [{'execution_id': 'exec_1', 'title': 'Go?', 'asked_at': '2026-05-01T12:00:00Z',
                  'deadline': '2026-05-02T12:00:00Z', 'announce': 'chat'}]}
                """);
        var filter = tree("{'open': '%1$s', 'query': 'open=%1$s'}".formatted(isOpen));
        return page("approvals", Map.of("list", list, "filter", filter, "may", OPERATOR));
    }

    @Test
    void enterInTheCommentOfAQuestionDecidesNothing() throws Exception {
        // A browser takes the first button of a form for Enter, and does nothing when that one is disabled.
        assertThat(question(true)).contains("value=\"mark\">\n<button disabled hidden");
    }

    @Test
    void aQuestionThatIsOverOffersNoDecision() throws Exception {
        assertThat(question(true)).contains(">Approve<", ">Reject<").doesNotContain("Closed without a decision.");
        assertThat(question(false)).contains("Closed without a decision.").doesNotContain(">Approve<", ">Reject<");
    }

    private String execution(boolean isFinal, boolean isCalling) throws Exception {
        var none = tree("{'problem': 'none'}");
        var data = new HashMap<String, Object>(Map.of("explanation", none, "request", none, "job", none));
        data.putAll(Map.of("timeline", "", "traceUrl", "", "curl", "", "attempts", none, "logs", none));
        data.putAll(Map.of("isFinal", isFinal, "isCalling", isCalling, "may", OPERATOR));
        data.put("e", tree("{'execution_id': 'exec_1', 'job_id': 'job_1', 'status': 'RUNNING', 'endpoint': 'mail'}"));
        return page("execution", data);
    }

    @Test
    void onlyWhatCallsIsCancelledByForce() throws Exception {
        assertThat(execution(false, true)).contains("name=\"force\" value=\"true\"", ">Cancel, and abort its call<");
        assertThat(execution(false, false)).contains(">Cancel<").doesNotContain("name=\"force\"", ">Retry<");
        assertThat(execution(true, false)).contains(">Retry<").doesNotContain("/cancel");
    }

    @Test
    void aJobWhoseExecutionCallsIsCancelledByForce() throws Exception {
        var job = tree("{'job_id': 'job_1', 'status': 'ACTIVE', 'queue': 'default'}");
        var data = new HashMap<String, Object>(
                Map.of("job", job, "report", tree("{'problem': 'none'}"), "list", tree("{}"), "may", OPERATOR));

        data.put("isCalling", true);
        assertThat(page("job", data)).contains("name=\"force\" value=\"true\"", ">Cancel, and abort its call<");
        data.put("isCalling", false);
        assertThat(page("job", data)).contains(">Cancel<").doesNotContain("name=\"force\"");
    }

    @Test
    void theListOfOperationsShowsHowManyEachHandles() throws Exception {
        var operation = tree("""
                {'operation_id': 'op_1', 'status': 'RUNNING', 'action': 'retry', 'done': 2, 'total': 9, 'most': 3,
                  'created_at': '2026-05-01T12:00:00Z'}
                """);
        Map<String, Object> data = Map.of(
                "list", tree("{}"),
                "filter", tree("{'query': ''}"),
                "errors", List.of(),
                "operations", List.of(operation));

        assertThat(page("dead-letters", data)).contains("class=\"n\">2 of 3<");
    }

    private String executions(String filter) throws Exception {
        return page(
                "executions",
                Map.of("list", tree("{}"), "filter", tree(filter), "statuses", List.of(), "errors", List.of()));
    }

    @Test
    void whatIsNewIsOfferedWhereItMayFitTheFilters() throws Exception {
        assertThat(executions("{'endpoint': 'mail', 'status': 'FAILED'}")).contains("data-offer>New executions<");
        for (var name : List.of("tag", "queue", "error_type", "created_before", "retried")) {
            assertThat(executions("{'%s': 'x'}".formatted(name))).as(name).doesNotContain("data-offer");
        }
    }

    @Test
    void aKeyOfAWorkerShowsItsEndpoints() throws Exception {
        var list = tree("""
                {'items': [{'key_id': 'key_1', 'name': 'a', 'scopes': ['work'], 'endpoints': ['mail', 'resize']},
                  {'key_id': 'key_2', 'name': 'b', 'scopes': ['work', 'read'], 'endpoints': null}]}
                """);

        assertThat(page("keys", Map.of("list", list, "secret", "", "scopes", List.of())))
                .contains(">work for mail, resize</td>", ">work, read</td>");
    }
}
