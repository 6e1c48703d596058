package io.taskexec.cli.live;

import static io.taskexec.cli.ResourceColumn.Format.COUNT;
import static io.taskexec.cli.ResourceColumn.Format.ID;
import static io.taskexec.cli.ResourceColumn.Format.MILLIS;
import static io.taskexec.cli.ResourceColumn.Format.NUMBER;
import static io.taskexec.cli.ResourceColumn.Format.PERCENT;
import static io.taskexec.cli.ResourceColumn.Format.STATUS;
import static io.taskexec.cli.ResourceColumn.Format.TEXT;
import static io.taskexec.cli.ResourceColumn.Format.TIME;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.PauseText;
import io.taskexec.cli.Queues;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.PlainLine;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Help.Ansi.Style;

/** Formats a snapshot as lines that fit a terminal. */
final class TopFrame {
    private static final List<ResourceColumn> QUEUES = List.of(
            ResourceColumn.of("QUEUE", ID, "/name"),
            ResourceColumn.of("READY", COUNT, "/ready"),
            ResourceColumn.of("SCHEDULED", COUNT, "/scheduled"),
            ResourceColumn.of("PARKED", COUNT, "/parked"),
            ResourceColumn.of("RUNNING", COUNT, "/running"),
            ResourceColumn.of("OLDEST", MILLIS, "/oldest_due_ms"),
            ResourceColumn.of("WEIGHT", NUMBER, "/weight"));
    private static final List<ResourceColumn> PAUSED_QUEUES =
            Stream.concat(QUEUES.stream(), Stream.of(Queues.PAUSE)).toList();
    private static final List<ResourceColumn> WORKERS = List.of(
            ResourceColumn.of("WORKER", ID, "/worker_id"),
            ResourceColumn.of("USED", NUMBER, "/used_slots"),
            ResourceColumn.of("SLOTS", NUMBER, "/slots"),
            ResourceColumn.of("HEARD", TIME, "/last_heartbeat_at"),
            ResourceColumn.of("PRESSURE", TEXT, "/shown_pressure"),
            ResourceColumn.of("HOST", TEXT, "/host"));
    private static final List<ResourceColumn> ENDPOINTS = List.of(
            ResourceColumn.of("ENDPOINT", TEXT, "/name"),
            ResourceColumn.of("RUNNING", NUMBER, "/running"),
            ResourceColumn.of("A MINUTE", NUMBER, "/attempts"),
            ResourceColumn.of("FAILED", NUMBER, "/failures"),
            ResourceColumn.of("P50", MILLIS, "/p50_ms"),
            ResourceColumn.of("P95", MILLIS, "/p95_ms"),
            ResourceColumn.of("PARKED", COUNT, "/parked"),
            ResourceColumn.of("BREAKER", STATUS, "/breaker"));
    private static final List<ResourceColumn> BREAKERS = List.of(
            ResourceColumn.of("BREAKER", TEXT, "/endpoint"),
            ResourceColumn.of("STATE", STATUS, "/state"),
            ResourceColumn.of("SINCE", TIME, "/since"),
            ResourceColumn.of("TRIED", TIME, "/retry_at"),
            ResourceColumn.of("REASON", TEXT, "/reason"));
    private static final List<ResourceColumn> RUNNING = List.of(
            ResourceColumn.of("RUNNING", ID, "/execution_id"),
            ResourceColumn.of("ENDPOINT", TEXT, "/endpoint"),
            ResourceColumn.of("ATTEMPT", NUMBER, "/attempt_count"),
            ResourceColumn.of("SINCE", TIME, "/started_at"));
    private static final List<ResourceColumn> DEFERRED = List.of(
            ResourceColumn.of("DEFERRED", ID, "/execution_id"),
            ResourceColumn.of("ENDPOINT", TEXT, "/endpoint"),
            ResourceColumn.of("BY", TEXT, "/deferral/mode"),
            ResourceColumn.of("DEADLINE", TIME, "/deferral/deadline"));
    private static final List<ResourceColumn> PROGRESS = List.of(
            ResourceColumn.of("DONE", PERCENT, "/progress/percent"),
            ResourceColumn.of("ALL DONE", TIME, "/progress/estimated_completion_at"),
            ResourceColumn.of("PROGRESS", TEXT, "/progress/message"));
    private static final List<ResourceColumn> FAILURES = List.of(
            ResourceColumn.of("LAST FAILURES", ID, "/execution_id"),
            ResourceColumn.of("ENDPOINT", TEXT, "/endpoint"),
            ResourceColumn.of("WHEN", TIME, "/completed_at"),
            ResourceColumn.of("ERROR", TEXT, "/error/type"),
            ResourceColumn.of("MESSAGE", TEXT, "/error/message"));

    private final ServerSnapshot snapshot;
    private final int width;
    private final AnsiStyle style;
    private final List<String> lines = new ArrayList<>();

    private TopFrame(ServerSnapshot snapshot, int width, AnsiStyle style) {
        this.snapshot = snapshot;
        this.width = width;
        this.style = style;
    }

    /** @param height the maximum number of lines */
    static List<String> of(String server, ServerSnapshot snapshot, int width, int height, AnsiStyle style) {
        var frame = new TopFrame(snapshot, width, style);
        frame.draw(server, height);
        return frame.lines.subList(0, Math.min(height, frame.lines.size()));
    }

    private void draw(String server, int height) {
        lines.add(style.apply(
                Style.bold,
                PlainLine.shorten(
                        "taskexec at " + server + ", " + snapshot.at().truncatedTo(ChronoUnit.SECONDS), width)));
        FrameHead.lines(snapshot).forEach(line -> lines.add(PlainLine.shorten(PlainLine.of(line), width)));
        var sections = sections();
        var rows = FrameSection.rows(sections, height - lines.size());
        for (var i = 0; i < rows.length; i++) {
            lines.addAll(sections.get(i).lines(rows[i], snapshot.at(), width, style));
        }
    }

    private List<FrameSection> sections() {
        var queues = items("queues");
        var isPaused = queues.stream().anyMatch(PauseText::isIn);
        return Stream.of(
                        section("queues", isPaused ? PAUSED_QUEUES : QUEUES, queues),
                        section(
                                "workers",
                                WORKERS,
                                items("workers").stream()
                                        .map(TopFrame::withPressure)
                                        .toList()),
                        section(
                                "endpoints",
                                ENDPOINTS,
                                items("endpoints").stream()
                                        .map(TopFrame::withBreaker)
                                        .toList()),
                        section("breakers", BREAKERS, items("breakers")),
                        executions("executions", withProgress(RUNNING, snapshot.running()), snapshot.running()),
                        executions(
                                "deferred executions",
                                withProgress(DEFERRED, snapshot.deferred()),
                                snapshot.deferred()),
                        executions("failures", FAILURES, snapshot.failures()))
                .filter(section -> !section.items().isEmpty())
                .toList();
    }

    private static FrameSection executions(String title, List<ResourceColumn> columns, List<JsonNode> items) {
        return new FrameSection(title, columns, items, items.size());
    }

    private static List<ResourceColumn> withProgress(List<ResourceColumn> columns, List<JsonNode> executions) {
        return executions.stream().anyMatch(execution -> execution.hasNonNull("progress"))
                ? Stream.concat(columns.stream(), PROGRESS.stream()).toList()
                : columns;
    }

    private List<JsonNode> items(String list) {
        return StreamSupport.stream(snapshot.overview().path(list).path("items").spliterator(), false)
                .toList();
    }

    private FrameSection section(String list, List<ResourceColumn> columns, List<JsonNode> items) {
        return new FrameSection(
                list,
                columns,
                items,
                snapshot.overview().path(list).path("total").asLong(items.size()));
    }

    private static JsonNode withPressure(JsonNode worker) {
        return ((ObjectNode) worker.deepCopy()).put("shown_pressure", FrameHead.pressure(worker));
    }

    /** A closed breaker is worth no word. */
    private static JsonNode withBreaker(JsonNode endpoint) {
        var shown = (ObjectNode) endpoint.deepCopy();
        return shown.path("breaker").asText().equals("CLOSED") ? shown.without("breaker") : shown;
    }
}
