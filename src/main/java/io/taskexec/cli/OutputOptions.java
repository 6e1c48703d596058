package io.taskexec.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.text.Ink;
import io.taskexec.cli.text.JsonPath;
import io.taskexec.cli.text.Terminal;
import io.taskexec.cli.text.YamlWriter;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How what a server says is printed. */
public final class OutputOptions {
    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            paramLabel = "FORM",
            completionCandidates = OutputNames.class,
            description = "table, json, yaml, name or jsonpath=TEMPLATE; default: ${DEFAULT-VALUE}.")
    private OutputForm form = OutputForm.TABLE;

    @Mixin
    private ColorOption color = new ColorOption();

    /** The form that is asked for. */
    public OutputForm.Kind kind() {
        return form.kind();
    }

    /** Whether it is for people. */
    public boolean isTable() {
        return kind() == OutputForm.Kind.TABLE;
    }

    /** What is written with on this terminal. */
    public Ink ink(Terminal terminal) {
        return color.ink(terminal);
    }

    /** One resource for programs, with the end of its last line unless a template is to say where lines end. */
    public String show(JsonNode resource, String name) {
        return switch (kind()) {
            case TABLE, JSON -> resource.toPrettyString() + "\n";
            case YAML -> YamlWriter.write(resource);
            case NAME -> name + "\n";
            case JSONPATH -> template().print(resource);
        };
    }

    /** A list of resources for programs: one array, or what templates know as {@code items}. */
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
