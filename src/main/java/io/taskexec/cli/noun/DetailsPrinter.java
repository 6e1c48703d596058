package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.text.Screen;
import io.taskexec.cli.text.Terminal;
import java.io.PrintWriter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Draws one resource in place, or prints it again when it has changed. */
final class DetailsPrinter {
    private final PrintWriter out;
    private final OutputOptions options;
    private final Details.Layout layout;
    private final Screen screen;
    private Terminal terminal = Terminal.ofOutput();
    private @Nullable JsonNode seen;

    DetailsPrinter(PrintWriter out, OutputOptions options, Details.Layout layout) {
        this.out = out;
        this.options = options;
        this.layout = layout;
        this.screen = new Screen(out);
    }

    void refresh(JsonNode resource, String name) {
        terminal = terminal.refreshed();
        if (options.isTable() && terminal.drawable()) {
            screen.show(
                    layout.lines(resource, terminal.width(), options.style(terminal), Instant.now()),
                    terminal.height());
        } else if (!resource.equals(seen)) {
            out.print(
                    options.isTable()
                            ? Details.text(resource, name, options, layout) + "\n"
                            : options.showInStream(resource, name));
            out.flush();
        }
        seen = resource;
    }
}
