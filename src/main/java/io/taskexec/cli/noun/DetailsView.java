package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.text.Screen;
import io.taskexec.cli.text.Terminal;
import io.taskexec.cli.text.YamlWriter;
import io.taskexec.model.Json;
import java.io.PrintWriter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One resource that is looked at over and over: drawn in place, or printed again when it has changed. */
final class DetailsView {
    private final PrintWriter out;
    private final OutputOptions options;
    private Terminal terminal = Terminal.ofOutput();
    private final Screen screen;
    private @Nullable JsonNode seen;

    DetailsView(PrintWriter out, OutputOptions options) {
        this.out = out;
        this.options = options;
        this.screen = new Screen(out);
    }

    void refresh(JsonNode resource, String name) {
        terminal = terminal.again();
        if (options.isTable() && terminal.drawable()) {
            screen.show(Details.lines(resource, options.ink(terminal), Instant.now()), terminal.height());
        } else if (!resource.equals(seen)) {
            out.print(
                    switch (options.kind()) {
                        case TABLE -> Details.text(resource, name, options) + "\n";
                        case JSON -> Json.write(resource) + "\n";
                        case YAML -> "---\n" + YamlWriter.write(resource);
                        case NAME, JSONPATH -> options.show(resource, name);
                    });
            out.flush();
        }
        seen = resource;
    }
}
