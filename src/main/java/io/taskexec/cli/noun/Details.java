package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.PauseText;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.FlatTree;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.RelativeTime;
import io.taskexec.cli.text.Terminal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;

/** Formats all fields of one resource, a line for each value. */
final class Details {
    private Details() {}

    /** Lays out a resource for people. */
    @FunctionalInterface
    interface Layout {
        /**
         * Returns the lines.
         *
         * @param width the width of the terminal, for lines that would be useless when they wrap
         */
        List<String> lines(JsonNode resource, int width, AnsiStyle style, Instant now);
    }

    /** A line for each value. */
    static final Layout PLAIN = (resource, _, style, now) -> lines(resource, style, now);

    static String text(JsonNode resource, String name, OutputOptions options) {
        return text(resource, name, options, PLAIN);
    }

    static String text(JsonNode resource, String name, OutputOptions options, Layout layout) {
        if (!options.isTable()) {
            return options.show(resource, name);
        }
        var terminal = Terminal.ofOutput();
        var lines = layout.lines(resource, terminal.width(), options.style(terminal), Instant.now());
        return String.join("\n", lines) + "\n";
    }

    static List<String> lines(JsonNode resource, AnsiStyle style, Instant now) {
        var values = FlatTree.of(resource, false);
        // No tick fires during a pause.
        values.computeIfPresent(
                "next_run_at", (_, next) -> PauseText.isIn(resource) ? PauseText.text(resource, now) : next);
        var width = values.keySet().stream().mapToInt(String::length).max().orElse(0);
        return values.entrySet().stream()
                .map(e -> PlainLine.of(e.getKey())
                        + " ".repeat(width - e.getKey().length() + 2)
                        + style.applyStatus(PlainLine.of(e.getValue()))
                        + distance(e.getKey(), e.getValue(), now))
                .toList();
    }

    private static String distance(String path, String value, Instant now) {
        if (!path.endsWith("_at") && !path.equals("since") && !path.endsWith("until")) {
            return "";
        }
        try {
            return "  (" + RelativeTime.of(OffsetDateTime.parse(value).toInstant(), now) + ")";
        } catch (DateTimeParseException _) {
            return "";
        }
    }
}
