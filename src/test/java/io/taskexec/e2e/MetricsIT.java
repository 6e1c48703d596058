package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Monitoring;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** One program with all roles that has done some work of each kind. */
class MetricsIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /** Of what needs a broker or a collector. */
    private static final Set<String> NOT_WITHOUT_OTHERS =
            Set.of("taskexec_jobs_inbound_total", "taskexec_spans_exported_total", "taskexec_spans_dropped_total");

    private static final Pattern SAMPLE = Pattern.compile("^([a-zA-Z_:][\\w:]*)(?:\\{[^}]*})? ", Pattern.MULTILINE);
    private static final Pattern LISTED = Pattern.compile("^\\| `(taskexec_[a-z_]+)` +\\|", Pattern.MULTILINE);

    private static final ServerDb database = ServerDb.fresh(MetricsIT.class);
    private static final Receiver receiver = new Receiver();
    private static Program program;

    @BeforeAll
    static void work() throws Exception {
        var setup = Program.serving(database);
        assertThat(setup.arguments("migrate").run().awaitExit()).isZero();
        // Only then are there statistics for the first look.
        database.execute("ANALYZE");
        program = setup.startReady();
        var api = program.api();
        api.endpoint("good", receiver.uri("/good"), Map.of());
        api.endpoint("bad", receiver.uri("/bad"), Map.of("max_attempts", 1));
        var _ = api.ended(api.immediate("good", "a"));
        receiver.answer(Answer.of(400, "{}"));
        var _ = api.ended(api.immediate("bad", "b"));
        receiver.answer(Answer.of(200, "{}"));
        var _ = api.create(
                "/jobs", Map.of("endpoint", "good", "trigger", "INTERVAL", "every", "PT1S", "input", Map.of("n", "c")));
        holdBack(api);
        await("taskexec_ticks_total\\{outcome=\"fired\",} [1-9]");
        await("taskexec_invariant_violations\\{invariant=\"tick_gap\"");
        await("taskexec_breaker_state\\{state=\"open\"");
        await("taskexec_queue_depth\\{queue=\"default\"");
        await("taskexec_flow_tokens\\{endpoint=\"limited\"");
        await("taskexec_executions_total\\{outcome=\"success\",} [2-9]");
    }

    /** One execution a day may begin, so the second one is parked for as long as the tests run. */
    private static void holdBack(Api api) throws InterruptedException {
        var limited = new HashMap<>(Api.posting("limited", receiver.uri("/limited"), Map.of()));
        limited.put("flow", Map.of("max_concurrency", 2, "rate", Map.of("limit", 1, "per", "P1D")));
        var _ = api.create("/endpoints", limited);
        var _ = api.ended(api.immediate("limited", "d"));
        var _ = api.immediate("limited", "e");
        // As if its receiver had refused calls.
        database.execute("UPDATE flow_policies SET adaptive_limit = 5, adaptive_at = now()");
        await("taskexec_flow_lines\\{endpoint=\"limited\",} 1.0");
        await("taskexec_adaptive_limit\\{endpoint=\"limited\",} 5.0");
    }

    @AfterAll
    static void stop() {
        program.close();
        receiver.close();
    }

    private static void await(String pattern) throws InterruptedException {
        var line = Pattern.compile(pattern);
        var _ = Eventually.await(
                pattern, BOUND, MetricsIT::metrics, text -> line.matcher(text).find());
    }

    /** As Prometheus asks for it. */
    private static String metrics() {
        try {
            return program.manage("/q/metrics", "text/plain; version=0.0.4").body();
        } catch (IOException _) {
            return "";
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private static Set<String> names() {
        var names = new TreeSet<String>();
        SAMPLE.matcher(metrics()).results().forEach(sample -> names.add(sample.group(1)));
        return names;
    }

    @Test
    void whatTheDashboardAndTheAlertsNameExists() {
        var names = names();

        assertThat(Monitoring.expressions())
                .isNotEmpty()
                .allSatisfy(expression -> assertThat(names).as(expression).containsAll(Monitoring.metrics(expression)));
    }

    @Test
    void whatTheDashboardAndTheAlertsSelectByExists() {
        var metrics = metrics();

        assertThat(Monitoring.expressions().stream().flatMap(expression -> Monitoring.selected(expression).stream()))
                .hasSizeGreaterThan(5)
                .allSatisfy(selected -> assertThat(metrics)
                        .containsPattern("(?m)^%s\\{(?:[^}]*,)?%s=\"%s\""
                                .formatted(selected.metric(), selected.label(), Pattern.quote(selected.value()))));
    }

    @Test
    void whatIsDocumentedExistsAndNothingElseOfOurs() throws IOException {
        assertThat(names()).doesNotContainAnyElementsOf(NOT_WITHOUT_OTHERS);
        var shown = new TreeSet<String>();
        names().stream()
                .filter(name -> name.startsWith("taskexec_"))
                .forEach(name -> shown.add(name.replaceFirst("_(bucket|count|sum|max)$", "")));
        shown.addAll(NOT_WITHOUT_OTHERS);

        assertThat(LISTED.matcher(Files.readString(Path.of("docs/operations.md")))
                        .results()
                        .map(found -> found.group(1)))
                .containsExactlyInAnyOrderElementsOf(shown);
    }

    @Test
    void workIsCountedByWhatBecameOfIt() {
        assertThat(metrics())
                .containsPattern("taskexec_jobs_created_total [5-6].0")
                .contains("taskexec_executions_total{outcome=\"failed\",} 1.0")
                .contains("taskexec_attempt_duration_seconds_count{outcome=\"failed\",transport=\"http\",} 1.0")
                .containsPattern("taskexec_executions_total\\{outcome=\"success\",} [1-9]")
                .containsPattern("taskexec_pickup_latency_seconds_count [1-9]")
                .containsPattern("taskexec_tick_lateness_seconds_bucket\\{le=\"300.0\",} [1-9]")
                .contains("taskexec_queue_oldest_age_seconds{queue=\"default\",}")
                .contains("taskexec_breaker_state{state=\"half_open\",} 0.0")
                .containsPattern("taskexec_build_info\\{version=\"\\d[^\"]*\",} 1.0")
                .containsPattern("taskexec_history_rows\\{table=\"jobs\",} 0.0");
    }

    @Test
    void requestsAreCountedAndTimedByTheRouteAndNotByThePath() throws InterruptedException {
        var api = program.api();
        var job = api.create("/jobs", Api.immediateJob("good", "route")).getString("job_id");
        assertThat(api.get("/jobs/" + job).statusCode()).isEqualTo(200);
        assertThat(api.get("/jobs/job_none").statusCode()).isEqualTo(404);
        assertThat(api.get("/nothing/at/" + job).statusCode()).isEqualTo(404);
        assertThat(api.bare().request("BREW", "/jobs").statusCode()).isGreaterThanOrEqualTo(400);

        assertThat(api.bare().redirects().follow(false).get("/ui/jobs/" + job).statusCode())
                .isEqualTo(303);
        assertThat(api.bare().get("/ui/nothing/" + job).statusCode()).isLessThan(500);

        // A request is counted a moment after its answer.
        await(requests("GET", "/ui/login", 200));
        assertThat(metrics())
                .containsPattern(requests("GET", "/ui/jobs/\\{id}", 303))
                .containsPattern(requests("GET", "/ui/login", 200))
                .containsPattern(requests("POST", "/jobs", 201))
                .containsPattern(requests("GET", "/jobs/\\{id}", 200))
                .containsPattern(requests("GET", "/jobs/\\{id}", 404))
                .containsPattern(requests("GET", "other", 404))
                .containsPattern("taskexec_http_requests_total\\{method=\"other\"")
                .containsPattern(
                        "taskexec_http_request_duration_seconds_count\\{method=\"POST\",route=\"/jobs\",} [1-9]")
                .doesNotContain(job);
    }

    private static String requests(String method, String route, int status) {
        return "taskexec_http_requests_total\\{method=\"%s\",route=\"%s\",status=\"%d\",} [1-9]"
                .formatted(method, route, status);
    }

    @Test
    void thePoolOfConnectionsShowsItsSizeItsUseAndItsWaits() {
        assertThat(metrics())
                .contains("taskexec_db_pool_size 10.0")
                .containsPattern("taskexec_db_pool_in_use \\d")
                .containsPattern("taskexec_db_pool_waiting \\d")
                .containsPattern("taskexec_db_pool_wait_seconds_count [1-9]");
    }

    @Test
    void whatTheLimitsOfFlowKeysHoldBackIsCounted() {
        assertThat(metrics())
                .contains(
                        "taskexec_queue_depth{queue=\"default\",state=\"parked\",} 1.0",
                        "taskexec_queue_paused_age_seconds{queue=\"default\",} 0.0",
                        "taskexec_flow_places{endpoint=\"limited\",} 0.0",
                        "taskexec_flow_tokens{endpoint=\"limited\",} 0.0",
                        "taskexec_flow_admitted_total 1.0",
                        "taskexec_flow_parked_total 1.0",
                        "taskexec_preempted_total 0.0")
                .containsPattern("taskexec_flow_line_age_seconds\\{endpoint=\"limited\",} \\d")
                .doesNotContain("taskexec_flow_lines{endpoint=\"good\"");
    }

    @Test
    void eachEndpointHasItsAttemptsAndTheirTime() {
        assertThat(metrics())
                .containsPattern(
                        "taskexec_endpoint_attempt_duration_seconds_count\\{endpoint=\"good\",outcome=\"success\",}"
                                + " [1-9]")
                .containsPattern(
                        "taskexec_endpoint_attempt_duration_seconds_count\\{endpoint=\"bad\",outcome=\"failed\",}"
                                + " 1.0");
    }

    @Test
    void whoAsksForOpenMetricsGetsIt() throws IOException, InterruptedException {
        var answer = program.manage("/q/metrics", "application/openmetrics-text; version=1.0.0");

        assertThat(answer.headers().firstValue("Content-Type")).contains(OPEN_METRICS);
        assertThat(answer.body())
                .contains("# TYPE taskexec_jobs_created counter", "taskexec_jobs_created_total ")
                .contains("# TYPE taskexec_pickup_latency_seconds histogram")
                .endsWith("# EOF\n");
    }

    @Test
    void autoscalersFindEveryQueueAndEveryNumberThoughNothingWaits() throws IOException, InterruptedException {
        var answer = program.manage("/metrics/queues");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");

        var report = json(answer.body());
        assertThat(report.path("total").path("ready").isIntegralNumber()).isTrue();
        assertThat(report.path("queues")).hasSize(1);
        assertThat(report.path("queues").path(0).fieldNames())
                .toIterable()
                .containsExactly("queue", "ready", "paused", "scheduled", "parked", "running", "oldest_age_seconds");
        var one = program.manage("/metrics/queues?queue=default");
        assertThat(json(one.body()).path("queue").asText()).isEqualTo("default");
        assertThat(program.manage("/metrics/queues?queue=none").body()).isEqualTo("""
                {"queue":"none","ready":0,"paused":0,"scheduled":0,"parked":0,"running":0,"oldest_age_seconds":0}""");
    }

    private static JsonNode json(String text) {
        try {
            return Json.parse(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(text, e);
        }
    }
}
