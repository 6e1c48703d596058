package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.text.Ink;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.YamlWriter;
import io.taskexec.model.Json;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Locale;

/** Prints events, each in a line of its own. */
final class EventLines {
    private final PrintWriter out;
    private final OutputOptions options;
    private final Ink ink;

    EventLines(PrintWriter out, OutputOptions options, Ink ink) {
        this.out = out;
        this.options = options;
        this.ink = ink;
    }

    void print(JsonNode event) {
        switch (options.kind()) {
            case TABLE -> out.println(line(event));
            case JSON -> out.println(Json.write(event));
            case YAML -> out.print("---\n" + YamlWriter.write(event));
            case NAME, JSONPATH ->
                out.print(options.show(
                        event, "executions/" + event.at("/data/execution_id").asText()));
        }
        out.flush();
    }

    private String line(JsonNode event) {
        var data = event.path("data");
        var type = event.path("type").asText().replaceFirst(".*\\.", "").toUpperCase(Locale.ROOT);
        var words = new ArrayList<String>();
        words.add(event.path("time").asText());
        words.add(ink.paintStatus(type) + " ".repeat(Math.max(0, "INTERRUPTED".length() - type.length())));
        words.add(data.path("execution_id").asText());
        words.add(PlainLine.of(data.path("endpoint").asText()));
        if (data.has("attempt")) {
            words.add("attempt " + data.path("attempt").asText());
        }
        if (data.has("error_type")) {
            words.add(PlainLine.of(data.path("error_type").asText()));
        }
        if (data.has("next_run_at")) {
            words.add("next " + data.path("next_run_at").asText());
        }
        return String.join("  ", words);
    }
}
