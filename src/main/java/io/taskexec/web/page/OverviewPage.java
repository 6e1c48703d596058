package io.taskexec.web.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.execution.ExecutionListResource;
import io.taskexec.api.execution.SelectionFilter;
import io.taskexec.api.overview.OverviewResource;
import io.taskexec.api.web.Paging;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.store.activity.ActivityStore;
import io.taskexec.web.frame.Display;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The first page: what waits, how fast it goes, and what needs attention. */
@Singleton
final class OverviewPage implements Section {
    private static final int FAILURES = 5;
    private static final double SLOW_MS = 60_000;
    private static final double PRESSED = 0.6;

    private final OverviewResource overview;
    private final ExecutionListResource executions;
    private final ActivityStore activity;
    private final Trees trees;

    OverviewPage(OverviewResource overview, ExecutionListResource executions, ActivityStore activity, Trees trees) {
        this.overview = overview;
        this.executions = executions;
        this.activity = activity;
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
        var span = "24".equals(visit.query("hours")) ? ActivityCharts.DAY : ActivityCharts.HOUR;
        var failed = Map.of("status", "FAILED", "retried", "false");
        var now = ProgramClock.now();
        return Uni.combine()
                .all()
                .unis(
                        trees.of(overview::get),
                        trees.of(() -> executions.list(Paging.of(FAILURES, null), SelectionFilter.of(failed::get))),
                        activity.since(span.from(now)))
                .usingConcurrencyOf(1)
                .with((snapshot, failures, minutes) -> Reply.page("overview", "Overview")
                        .with("now", snapshot)
                        .with("attention", attention(snapshot))
                        .with("moreFailures", failures.hasNonNull("cursor"))
                        .with("lookedAt", ExecutionsPage.mostLookedAt(failed::get))
                        .with(
                                "charts",
                                ActivityCharts.of(minutes, span, now)
                                        .draw(visit.preferences().zone()))
                        .with("isDay", span.equals(ActivityCharts.DAY))
                        .with("failures", Trees.items(failures).valueStream().toList()));
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
                        Display.endpointPath(breaker.path("endpoint").asText()))));
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
}
