package io.taskexec.cli.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.model.VisibleText;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A template that prints parts of a JSON value: text with paths in braces, in the subset of kubectl's JSONPath that
 * docs/cli.md lists. A path without a value prints nothing; a space separates several values.
 */
public record JsonPath(List<TemplatePart> parts) {
    /** A piece of the template. */
    sealed interface TemplatePart {
        /** Literal text. */
        record Text(String text) implements TemplatePart {}

        /** The values of a path. */
        record Values(Path path) implements TemplatePart {}

        /** Parts that are printed for each value of a path. */
        record Range(Path path, List<TemplatePart> parts) implements TemplatePart {}
    }

    /**
     * A path into a JSON value.
     *
     * @param steps selectors, each applied to all values of the one before
     */
    record Path(List<Selector> steps) {
        List<JsonNode> find(JsonNode root) {
            var found = List.of(root);
            for (var step : steps) {
                found = found.stream().flatMap(step::from).toList();
            }
            return found;
        }
    }

    /** Selects values within a value. */
    sealed interface Selector {
        Stream<JsonNode> from(JsonNode value);

        /** The member of an object. */
        record Member(String name) implements Selector {
            @Override
            public Stream<JsonNode> from(JsonNode value) {
                return Stream.ofNullable(value.get(name));
            }
        }

        /** An element of an array; -1 is the last one. */
        record Element(int index) implements Selector {
            @Override
            public Stream<JsonNode> from(JsonNode value) {
                return Stream.ofNullable(value.get(index < 0 ? value.size() + index : index));
            }
        }

        /** All elements or members. */
        record All() implements Selector {
            @Override
            public Stream<JsonNode> from(JsonNode value) {
                return StreamSupport.stream(value.spliterator(), false);
            }
        }

        /**
         * The elements in which a value equals a text, or differs from it.
         *
         * @param wanted the printed value
         */
        record Comparison(Path path, boolean equal, String wanted) implements Selector {
            @Override
            public Stream<JsonNode> from(JsonNode value) {
                return new All().from(value).filter(element -> isWanted(element) == equal);
            }

            private boolean isWanted(JsonNode element) {
                return path.find(element).stream()
                        .anyMatch(found -> shown(found).equals(wanted));
            }
        }
    }

    /** Parses a template. */
    public static JsonPath parse(String template) throws MalformedTextException {
        return new JsonPath(new JsonPathParser(template.contains("{") ? template : "{" + template + "}").parts());
    }

    /** Prints the template for a value. */
    public String print(JsonNode root) {
        return print(parts, root);
    }

    private static String print(List<TemplatePart> parts, JsonNode root) {
        return parts.stream()
                .map(part -> switch (part) {
                    case TemplatePart.Text(var text) -> text;
                    case TemplatePart.Values(var path) ->
                        path.find(root).stream().map(JsonPath::printed).collect(Collectors.joining(" "));
                    case TemplatePart.Range(var path, var inner) ->
                        path.find(root).stream()
                                .map(value -> print(inner, value))
                                .collect(Collectors.joining());
                })
                .collect(Collectors.joining());
    }

    /** {@link TerminalWriter} lets colours pass, so those in values are escaped here. */
    private static String printed(JsonNode value) {
        return shown(value).replace(String.valueOf(AnsiStyle.ESCAPE), VisibleText.escape(AnsiStyle.ESCAPE));
    }

    private static String shown(JsonNode value) {
        return value.isTextual() ? value.textValue() : value.isNull() ? "" : Json.write(value);
    }
}
