package io.taskexec.cli.live;

import static io.taskexec.cli.ResourceColumn.Format.COUNT;
import static io.taskexec.cli.ResourceColumn.Format.ID;
import static io.taskexec.cli.ResourceColumn.Format.NUMBER;
import static io.taskexec.cli.ResourceColumn.Format.STATUS;
import static io.taskexec.cli.ResourceColumn.Format.TEXT;
import static io.taskexec.cli.ResourceColumn.Format.TIME;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.PauseText;
import io.taskexec.cli.Queues;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.PlainLine;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Help.Ansi.Style;

/** Formats a snapshot as lines that fit a terminal. */
final class TopFrame {
    private static final List<ResourceColumn> QUEUES = Queues.fields("QUEUE", COUNT);
    private static final List<ResourceColumn> PAUSED_QUEUES =
            Stream.concat(QUEUES.stream(), Stream.of(Queues.PAUSE)).toList();
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
        frame.draw(server);
        return frame.lines.subList(0, Math.min(height, frame.lines.size()));
    }

    private void draw(String server) {
        lines.add(style.apply(
                Style.bold,
                PlainLine.shorten(
                        "taskexec at " + server + ", " + snapshot.at().truncatedTo(ChronoUnit.SECONDS), width)));
        if (snapshot.rates() != null) {
            lines.add(PlainLine.shorten("In a second: " + rates(snapshot.rates()), width));
        }
        if (snapshot.remark() != null) {
            lines.add(PlainLine.shorten(PlainLine.of(snapshot.remark()), width));
        }
        var isPaused = snapshot.queues().stream().anyMatch(PauseText::isIn);
        section(isPaused ? PAUSED_QUEUES : QUEUES, snapshot.queues());
        section(BREAKERS, snapshot.breakers());
        section(RUNNING, snapshot.running());
        section(FAILURES, snapshot.failures());
    }

    private static String rates(Map<String, Double> rates) {
        return rates.isEmpty()
                ? "nothing"
                : rates.entrySet().stream()
                        .map(e -> String.format(Locale.ROOT, "%.1f %s", e.getValue(), e.getKey()))
                        .collect(Collectors.joining(", "));
    }

    private void section(List<ResourceColumn> fields, List<JsonNode> items) {
        if (!items.isEmpty()) {
            lines.add("");
            lines.addAll(ResourceColumn.table(fields, items, snapshot.at(), width, style));
        }
    }
}
