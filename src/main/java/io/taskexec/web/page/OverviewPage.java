package io.taskexec.web.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.execution.ExecutionListResource;
import io.taskexec.api.execution.SelectionFilter;
import io.taskexec.api.overview.OverviewResource;
import io.taskexec.api.web.Paging;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.web.chart.LineChart;
import io.taskexec.web.chart.LineChart.Series;
import io.taskexec.web.frame.Display;
import io.taskexec.web.frame.Html;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import io.taskexec.web.page.RecentHistory.Sample;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The first page: what waits, how fast it goes, and what needs attention. */
@Singleton
final class OverviewPage implements Section {
    private static final int FAILURES = 5;
    private static final double SLOW_MS = 60_000;
    private static final double PRESSED = 0.6;

    private final OverviewResource overview;
    private final ExecutionListResource executions;
    private final RecentHistory history;
    private final Trees trees;

    OverviewPage(OverviewResource overview, ExecutionListResource executions, RecentHistory history, Trees trees) {
        this.overview = overview;
        this.executions = executions;
        this.history = history;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(0, "/", "Overview", KeyScope.READ);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/", KeyScope.READ, this::show);
    }

    private Uni<Reply> show(Visit visit) {
        var failed = Map.of("status", "FAILED", "retried", "false");
        return trees.of(overview::get)
                .chain(snapshot -> trees.of(
                                () -> executions.list(Paging.of(FAILURES, null), SelectionFilter.of(failed::get)))
                        .map(failures -> Reply.page("overview", "Overview")
                                .with("now", snapshot)
                                .with("attention", attention(snapshot))
                                .with("charts", charts(history.read(), visit))
                                .with(
                                        "failures",
                                        Trees.items(failures).valueStream().toList())));
    }

    /** A sentence and the page that has more about it. */
    private static Map<String, String> point(String text, String path) {
        return Map.of("text", text, "path", path);
    }

    static List<Map<String, String>> attention(ObjectNode snapshot) {
        var points = new ArrayList<Map<String, String>>();
        snapshot.at("/breakers/items")
                .forEach(breaker -> points.add(point(
                        "Endpoint %s: %s. %s"
                                .formatted(
                                        breaker.path("endpoint").asText(),
                                        breaker.path("state").asText().equals("DISABLED")
                                                ? "disabled"
                                                : "circuit breaker "
                                                        + breaker.path("state").asText(),
                                        breaker.path("reason").asText()),
                        "/ui/endpoints/"
                                + Display.encode(breaker.path("endpoint").asText()))));
        snapshot.at("/queues/items").forEach(queue -> {
            var name = queue.path("name").asText();
            var path = "/ui/queues/" + Display.encode(name);
            if (queue.path("paused").asBoolean()) {
                points.add(point("Queue %s is paused%s.".formatted(name, reason(queue)), path));
            } else if (queue.path("oldest_due_ms").asDouble() > SLOW_MS) {
                points.add(point(
                        "Queue %s: an execution has been due for %s."
                                .formatted(
                                        name,
                                        Display.millis(
                                                queue.path("oldest_due_ms").asDouble())),
                        path));
            }
        });
        if (snapshot.at("/workers/total").asLong() == 0) {
            points.add(point("No worker is running, so that nothing begins.", "/ui/queues"));
        }
        snapshot.at("/workers/items")
                .forEach(worker -> worker.path("pressure").forEachEntry((source, value) -> {
                    if (value.asDouble() >= PRESSED) {
                        points.add(point(
                                "Worker on %s is under pressure: %s at %d %%."
                                        .formatted(
                                                worker.path("host").asText(),
                                                source,
                                                Math.round(value.asDouble() * 100)),
                                "/ui/queues"));
                    }
                }));
        return points;
    }

    private static String reason(JsonNode queue) {
        return queue.hasNonNull("pause_reason")
                ? " (" + queue.path("pause_reason").asText() + ")"
                : "";
    }

    private static List<Map<String, Object>> charts(List<Sample> samples, Visit visit) {
        var times = samples.stream().map(Sample::at).toList();
        return List.of(
                chart(
                        "Depth",
                        times,
                        List.of(
                                line("waiting", "a", samples, Sample::waiting),
                                line("running", "b", samples, Sample::running)),
                        Display::number,
                        visit),
                chart(
                        "Throughput /s",
                        times,
                        List.of(
                                line("created", "a", samples, Sample::createdPerSec),
                                line("ended", "b", samples, Sample::endedPerSec)),
                        Display::number,
                        visit),
                chart(
                        "Latency",
                        times,
                        List.of(line("p95", "a", samples, Sample::p95Ms), line("p50", "b", samples, Sample::p50Ms)),
                        Display::millis,
                        visit),
                chart(
                        "Attempts /min",
                        times,
                        List.of(
                                line("failed", "bad", samples, Sample::failures),
                                line("all", "b", samples, Sample::attempts)),
                        Display::number,
                        visit));
    }

    private static Series line(
            String name, String style, List<Sample> samples, Function<Sample, @Nullable Double> value) {
        var values = new ArrayList<@Nullable Double>();
        samples.forEach(sample -> values.add(value.apply(sample)));
        return new Series(name, style, values);
    }

    private static Map<String, Object> chart(
            String title,
            List<Instant> times,
            List<Series> lines,
            java.util.function.DoubleFunction<String> format,
            Visit visit) {
        var svg = new LineChart(title, times, lines, format)
                .draw(visit.preferences().zone());
        return Map.of(
                "title", title,
                "svg", Html.raw(svg),
                "legend",
                        lines.stream()
                                .map(line -> Map.of("name", line.name(), "style", line.style()))
                                .toList());
    }
}
