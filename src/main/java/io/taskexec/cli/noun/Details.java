package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.schedule.Pauses;
import io.taskexec.cli.text.FlatTree;
import io.taskexec.cli.text.Ink;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.RelativeTime;
import io.taskexec.cli.text.Terminal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;

/** Everything about one resource, a line for each value. */
final class Details {
    private Details() {}

    /** What is to be printed of it, with the end of its last line. */
    static String text(JsonNode resource, String name, OutputOptions options) {
        if (!options.isTable()) {
            return options.show(resource, name);
        }
        var terminal = Terminal.ofOutput();
        return String.join("\n", lines(resource, options.ink(terminal), Instant.now())) + "\n";
    }

    static List<String> lines(JsonNode resource, Ink ink, Instant now) {
        var values = FlatTree.of(resource, false);
        // No tick fires then, whatever time the next one has.
        values.computeIfPresent("next_run_at", (_, next) -> Pauses.isIn(resource) ? Pauses.text(resource, now) : next);
        var width = values.keySet().stream().mapToInt(String::length).max().orElse(0);
        return values.entrySet().stream()
                .map(e -> PlainLine.of(e.getKey())
                        + " ".repeat(width - e.getKey().length() + 2)
                        + ink.paintStatus(PlainLine.of(e.getValue()))
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
