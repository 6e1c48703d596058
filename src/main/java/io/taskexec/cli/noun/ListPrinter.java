package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.text.Screen;
import io.taskexec.cli.text.Terminal;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints resources once, or those that have changed since the last time. */
final class ListPrinter {
    private final PrintWriter out;
    private final OutputOptions options;
    private final Noun noun;
    private final boolean headers;
    private final Screen screen;
    private final Map<String, JsonNode> seen = new HashMap<>();
    private Terminal terminal = Terminal.ofOutput();
    private boolean begun;

    /** @param headers whether a table has titles */
    ListPrinter(PrintWriter out, OutputOptions options, Noun noun, boolean headers) {
        this.out = out;
        this.options = options;
        this.noun = noun;
        this.headers = headers;
        this.screen = new Screen(out);
    }

    /** Prints all items, as one array in JSON and YAML. */
    void print(List<JsonNode> items) {
        if (options.isTable()) {
            table(items, headers).forEach(out::println);
        } else {
            out.print(options.showAll(items, noun::nameOf));
        }
        out.flush();
    }

    private List<String> table(List<JsonNode> items, boolean withTitles) {
        var lines =
                ResourceColumn.table(noun.columns(), items, Instant.now(), terminal.width(), options.style(terminal));
        return withTitles ? lines : lines.subList(1, lines.size());
    }

    /** Redraws all items on a terminal; otherwise prints those that are new or have changed. */
    void refresh(List<JsonNode> items) {
        terminal = terminal.refreshed();
        if (options.isTable() && terminal.drawable()) {
            screen.show(table(items, headers), terminal.height());
            return;
        }
        var changed = items.stream()
                .filter(item -> !item.equals(seen.put(noun.nameOf(item), item)))
                .toList();
        seen.keySet().retainAll(items.stream().map(noun::nameOf).collect(Collectors.toSet()));
        switch (options.kind()) {
            case TABLE -> {
                table(changed, headers && !begun).forEach(out::println);
                begun = true;
            }
            case JSON, YAML -> changed.forEach(item -> out.print(options.showInStream(item, noun.nameOf(item))));
            case NAME, JSONPATH -> out.print(changed.isEmpty() ? "" : options.showAll(changed, noun::nameOf));
        }
        out.flush();
    }
}
