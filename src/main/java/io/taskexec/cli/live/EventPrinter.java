package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.PlainLine;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Locale;

/** Prints each event on one line, or in the chosen format. */
final class EventPrinter {
    private final PrintWriter out;
    private final OutputOptions options;
    private final AnsiStyle style;

    EventPrinter(PrintWriter out, OutputOptions options, AnsiStyle style) {
        this.out = out;
        this.options = options;
        this.style = style;
    }

    void print(JsonNode event) {
        var name = "executions/" + event.at("/data/execution_id").asText();
        out.print(options.isTable() ? line(event) + "\n" : options.showInStream(event, name));
        out.flush();
    }

    /** Returns whether the output cannot be written any more, as when {@code head} has ended. */
    boolean isLost() {
        return out.checkError();
    }

    private String line(JsonNode event) {
        var data = event.path("data");
        var type = event.path("type").asText().replaceFirst(".*\\.", "").toUpperCase(Locale.ROOT);
        var words = new ArrayList<String>();
        words.add(event.path("time").asText());
        words.add(style.applyStatus(type) + " ".repeat(Math.max(0, "INTERRUPTED".length() - type.length())));
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
