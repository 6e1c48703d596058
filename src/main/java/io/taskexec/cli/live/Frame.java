package io.taskexec.cli.live;

import static io.taskexec.cli.Field.Show.COUNT;
import static io.taskexec.cli.Field.Show.ID;
import static io.taskexec.cli.Field.Show.NUMBER;
import static io.taskexec.cli.Field.Show.STATUS;
import static io.taskexec.cli.Field.Show.TEXT;
import static io.taskexec.cli.Field.Show.TIME;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.Field;
import io.taskexec.cli.Queues;
import io.taskexec.cli.text.Ink;
import io.taskexec.cli.text.PlainLine;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A snapshot as lines that fit a terminal. */
final class Frame {
    private static final List<Field> QUEUES = Queues.fields("QUEUE", COUNT);
    private static final List<Field> BREAKERS = List.of(
            Field.of("BREAKER", TEXT, "/endpoint"),
            Field.of("STATE", STATUS, "/state"),
            Field.of("SINCE", TIME, "/since"),
            Field.of("TRIED", TIME, "/retry_at"),
            Field.of("REASON", TEXT, "/reason"));
    private static final List<Field> RUNNING = List.of(
            Field.of("RUNNING", ID, "/execution_id"),
            Field.of("ENDPOINT", TEXT, "/endpoint"),
            Field.of("ATTEMPT", NUMBER, "/attempt_count"),
            Field.of("SINCE", TIME, "/started_at"));
    private static final List<Field> FAILURES = List.of(
            Field.of("LAST FAILURES", ID, "/execution_id"),
            Field.of("ENDPOINT", TEXT, "/endpoint"),
            Field.of("WHEN", TIME, "/completed_at"),
            Field.of("ERROR", TEXT, "/error/type"),
            Field.of("MESSAGE", TEXT, "/error/message"));

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
        section(QUEUES, snapshot.queues());
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

    private void section(List<Field> fields, List<JsonNode> items) {
        if (!items.isEmpty()) {
            lines.add("");
            lines.addAll(Field.table(fields, items, snapshot.at(), width, ink));
        }
    }
}
