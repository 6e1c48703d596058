package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.Queues;
import io.taskexec.cli.text.Column;
import io.taskexec.cli.text.Ink;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.RelativeTime;
import io.taskexec.cli.text.Table;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A snapshot as lines that fit a terminal. */
final class Frame {
    private static final List<Column> QUEUES = List.of(
            new Column("QUEUE", Column.Kind.TEXT),
            new Column("READY", Column.Kind.NUMBER),
            new Column("SCHEDULED", Column.Kind.NUMBER),
            new Column("RETRYING", Column.Kind.NUMBER),
            new Column("RUNNING", Column.Kind.NUMBER));
    private static final List<Column> BREAKERS = List.of(
            new Column("BREAKER", Column.Kind.TEXT),
            new Column("STATE", Column.Kind.STATUS),
            new Column("SINCE", Column.Kind.ID),
            new Column("TRIED", Column.Kind.ID),
            new Column("REASON", Column.Kind.TEXT));
    private static final List<Column> RUNNING = List.of(
            new Column("RUNNING", Column.Kind.ID),
            new Column("ENDPOINT", Column.Kind.TEXT),
            new Column("ATTEMPT", Column.Kind.NUMBER),
            new Column("SINCE", Column.Kind.ID));
    private static final List<Column> FAILURES = List.of(
            new Column("LAST FAILURES", Column.Kind.ID),
            new Column("ENDPOINT", Column.Kind.TEXT),
            new Column("WHEN", Column.Kind.ID),
            new Column("ERROR", Column.Kind.TEXT),
            new Column("MESSAGE", Column.Kind.TEXT));

    private final Snapshot snapshot;
    private final int width;
    private final Ink ink;
    private final List<String> lines = new ArrayList<>();

    private Frame(Snapshot snapshot, int width, Ink ink) {
        this.snapshot = snapshot;
        this.width = width;
        this.ink = ink;
    }

    /** @param height how many lines there may be */
    static List<String> of(Snapshot snapshot, int width, int height, Ink ink) {
        var frame = new Frame(snapshot, width, ink);
        frame.draw();
        return frame.lines.subList(0, Math.min(height, frame.lines.size()));
    }

    private void draw() {
        lines.add(ink.paint(
                Ink.Color.BOLD,
                PlainLine.shorten(
                        "taskexec at " + snapshot.server() + ", "
                                + snapshot.at().truncatedTo(ChronoUnit.SECONDS),
                        width)));
        if (snapshot.rates() != null) {
            lines.add(PlainLine.shorten("In a second: " + rates(snapshot.rates()), width));
        }
        if (snapshot.remark() != null) {
            lines.add(PlainLine.shorten(PlainLine.of(snapshot.remark()), width));
        }
        section(QUEUES, snapshot.queues().stream().map(this::queue).toList());
        section(BREAKERS, snapshot.breakers().stream().map(this::breaker).toList());
        section(RUNNING, snapshot.running().stream().map(this::running).toList());
        section(FAILURES, snapshot.failures().stream().map(this::failure).toList());
    }

    private static String rates(Map<String, Double> rates) {
        return rates.isEmpty()
                ? "nothing"
                : rates.entrySet().stream()
                        .map(e -> String.format(Locale.ROOT, "%.1f %s", e.getValue(), e.getKey()))
                        .collect(Collectors.joining(", "));
    }

    private void section(List<Column> columns, List<List<String>> rows) {
        if (!rows.isEmpty()) {
            lines.add("");
            lines.addAll(new Table(columns).lines(rows, width, ink));
        }
    }

    private List<String> queue(JsonNode queue) {
        return List.of(
                text(queue, "name"),
                count(queue, "ready"),
                count(queue, "scheduled"),
                count(queue, "retrying"),
                count(queue, "running"));
    }

    /** With a plus when there is more than was counted. */
    private static String count(JsonNode queue, String field) {
        return text(queue, field) + (Queues.isMore(queue, field) ? "+" : "");
    }

    private List<String> breaker(JsonNode breaker) {
        return List.of(
                text(breaker, "endpoint"),
                text(breaker, "state"),
                time(breaker.path("since").textValue()),
                time(breaker.path("retry_at").textValue()),
                text(breaker, "reason"));
    }

    private List<String> running(JsonNode execution) {
        return List.of(
                text(execution, "execution_id"),
                text(execution, "endpoint"),
                text(execution, "attempt_count"),
                time(execution.path("started_at").textValue()));
    }

    private List<String> failure(JsonNode execution) {
        return List.of(
                text(execution, "execution_id"),
                text(execution, "endpoint"),
                time(execution.path("completed_at").textValue()),
                execution.path("error").path("type").asText(),
                execution.path("error").path("message").asText());
    }

    private static String text(JsonNode node, String field) {
        return node.path(field).asText();
    }

    private String time(@Nullable String text) {
        return text == null ? "" : RelativeTime.of(Instant.parse(text), snapshot.at());
    }
}
