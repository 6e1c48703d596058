package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.Field;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.text.Screen;
import io.taskexec.cli.text.Terminal;
import io.taskexec.cli.text.YamlWriter;
import io.taskexec.model.Json;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Prints resources: once, or what has changed since it printed them last. */
final class Listing {
    private final PrintWriter out;
    private final OutputOptions options;
    private final List<Field> fields;
    private final boolean headers;
    private final Function<JsonNode, String> name;
    private Terminal terminal = Terminal.ofOutput();
    private final Screen screen;
    private final Map<String, JsonNode> seen = new HashMap<>();
    private boolean begun;

    /**
     * @param headers whether a table has titles
     * @param name what {@code -o name} prints of an item
     */
    Listing(
            PrintWriter out,
            OutputOptions options,
            List<Field> fields,
            boolean headers,
            Function<JsonNode, String> name) {
        this.out = out;
        this.options = options;
        this.fields = fields;
        this.headers = headers;
        this.name = name;
        this.screen = new Screen(out);
    }

    /** All of them; a list of JSON or YAML. */
    void print(List<JsonNode> items) {
        if (options.isTable()) {
            body(table(items), headers).forEach(out::println);
        } else {
            out.print(options.showAll(items, name));
        }
        out.flush();
    }

    private static List<String> body(List<String> table, boolean headers) {
        return headers ? table : table.subList(1, table.size());
    }

    private List<String> table(List<JsonNode> items) {
        return Field.table(fields, items, Instant.now(), terminal.width(), options.ink(terminal));
    }

    /**
     * All of them in the place of those before, where somebody looks; otherwise those that are new or another than before.
     *
     * @param id the field that tells them apart
     */
    void refresh(List<JsonNode> items, String id) {
        terminal = terminal.again();
        if (options.isTable() && terminal.drawable()) {
            screen.show(body(table(items), headers), terminal.height());
            return;
        }
        var changed = items.stream()
                .filter(item -> !item.equals(seen.put(item.path(id).asText(), item)))
                .toList();
        seen.keySet()
                .retainAll(items.stream().map(item -> item.path(id).asText()).collect(Collectors.toSet()));
        switch (options.kind()) {
            case TABLE -> {
                body(table(changed), headers && !begun).forEach(out::println);
                begun = true;
            }
            case JSON -> changed.forEach(item -> out.println(Json.write(item)));
            case YAML -> changed.forEach(item -> out.print("---\n" + YamlWriter.write(item)));
            case NAME, JSONPATH -> out.print(changed.isEmpty() ? "" : options.showAll(changed, name));
        }
        out.flush();
    }
}
