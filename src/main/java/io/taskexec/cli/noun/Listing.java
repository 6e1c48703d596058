package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
import java.util.stream.Collectors;

/** Prints resources: once, or what has changed since it printed them last. */
final class Listing {
    private final PrintWriter out;
    private final OutputOptions options;
    private final List<Field> fields;
    private Terminal terminal = Terminal.ofOutput();
    private final Screen screen;
    private final Map<String, JsonNode> seen = new HashMap<>();
    private boolean begun;

    Listing(PrintWriter out, OutputOptions options, List<Field> fields) {
        this.out = out;
        this.options = options;
        this.fields = fields;
        this.screen = new Screen(out);
    }

    /** All of them; a list of JSON or YAML. */
    void print(List<JsonNode> items) {
        if (options.isTable()) {
            table(items).forEach(out::println);
        } else {
            out.print(options.show(JsonNodeFactory.instance.arrayNode().addAll(items)));
        }
        out.flush();
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
            screen.show(table(items), terminal.height());
            return;
        }
        var changed = items.stream()
                .filter(item -> !item.equals(seen.put(item.path(id).asText(), item)))
                .toList();
        seen.keySet()
                .retainAll(items.stream().map(item -> item.path(id).asText()).collect(Collectors.toSet()));
        switch (options.format()) {
            case TABLE -> {
                var lines = table(changed);
                lines.subList(begun ? 1 : 0, lines.size()).forEach(out::println);
                begun = true;
            }
            case JSON -> changed.forEach(item -> out.println(Json.write(item)));
            case YAML -> changed.forEach(item -> out.print("---\n" + YamlWriter.write(item)));
        }
        out.flush();
    }
}
