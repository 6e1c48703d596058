package io.taskexec.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.JsonPath;
import io.taskexec.cli.text.Terminal;
import io.taskexec.cli.text.YamlWriter;
import io.taskexec.model.Json;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for the format of results. */
public final class OutputOptions {
    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            paramLabel = "FORM",
            completionCandidates = OutputNames.class,
            description = "table, json, yaml, name or jsonpath=TEMPLATE; default: ${DEFAULT-VALUE}.")
    private OutputFormat form = OutputFormat.TABLE;

    @Mixin
    private ColorOption color = new ColorOption();

    public OutputFormat.Kind kind() {
        return form.kind();
    }

    public boolean isTable() {
        return kind() == OutputFormat.Kind.TABLE;
    }

    /** Returns the style for a terminal. */
    public AnsiStyle style(Terminal terminal) {
        return color.style(terminal);
    }

    /** Formats one resource for programs. Only templates decide themselves where lines end. */
    public String show(JsonNode resource, String name) {
        return switch (kind()) {
            case TABLE, JSON -> resource.toPrettyString() + "\n";
            case YAML -> YamlWriter.write(resource);
            case NAME -> name + "\n";
            case JSONPATH -> template().print(resource);
        };
    }

    /** Returns one of several resources: a line of JSON, or a document of YAML. */
    public String showInStream(JsonNode resource, String name) {
        return switch (kind()) {
            case TABLE, JSON -> Json.write(resource) + "\n";
            case YAML -> "---\n" + YamlWriter.write(resource);
            case NAME, JSONPATH -> show(resource, name);
        };
    }

    /** Formats a list for programs: one array, or the field {@code items} of a template. */
    public String showAll(List<JsonNode> items, Function<JsonNode, String> name) {
        var json = JsonNodeFactory.instance;
        var array = json.arrayNode().addAll(items);
        return switch (kind()) {
            case TABLE, JSON -> array.toPrettyString() + "\n";
            case YAML -> YamlWriter.write(array);
            case NAME -> items.stream().map(item -> name.apply(item) + "\n").collect(Collectors.joining());
            case JSONPATH -> template().print(json.objectNode().set("items", array));
        };
    }

    private JsonPath template() {
        return Objects.requireNonNull(form.template());
    }
}
