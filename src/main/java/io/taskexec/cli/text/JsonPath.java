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
 * docs/cli.md lists. A path without a value prints nothing, and several values are separated by a space.
 */
public record JsonPath(List<Part> parts) {
    /** A piece of the template. */
    sealed interface Part {
        /** Printed as it is. */
        record Text(String text) implements Part {}

        /** Prints the values that a path finds. */
        record Values(Path path) implements Part {}

        /** Prints its parts for each value that a path finds. */
        record Range(Path path, List<Part> parts) implements Part {}
    }

    /**
     * Where values are.
     *
     * @param steps taken one after the other, each from all values that the one before found
     */
    record Path(List<Step> steps) {
        List<JsonNode> find(JsonNode root) {
            var found = List.of(root);
            for (var step : steps) {
                found = found.stream().flatMap(step::from).toList();
            }
            return found;
        }
    }

    /** From a value to values in it. */
    sealed interface Step {
        Stream<JsonNode> from(JsonNode value);

        /** The member of an object. */
        record Member(String name) implements Step {
            @Override
            public Stream<JsonNode> from(JsonNode value) {
                return Stream.ofNullable(value.get(name));
            }
        }

        /** An element of an array; -1 is the last one. */
        record Element(int index) implements Step {
            @Override
            public Stream<JsonNode> from(JsonNode value) {
                return Stream.ofNullable(value.get(index < 0 ? value.size() + index : index));
            }
        }

        /** All elements or members. */
        record All() implements Step {
            @Override
            public Stream<JsonNode> from(JsonNode value) {
                return StreamSupport.stream(value.spliterator(), false);
            }
        }

        /**
         * The elements in which a value is equal to a text, or is not.
         *
         * @param wanted as it is printed
         */
        record Where(Path path, boolean equal, String wanted) implements Step {
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

    /** The template in a text. */
    public static JsonPath parse(String template) throws MalformedTextException {
        return new JsonPath(new JsonPathParser(template.contains("{") ? template : "{" + template + "}").parts());
    }

    /** What it prints of a value. */
    public String print(JsonNode root) {
        return print(parts, root);
    }

    private static String print(List<Part> parts, JsonNode root) {
        return parts.stream()
                .map(part -> switch (part) {
                    case Part.Text(var text) -> text;
                    case Part.Values(var path) ->
                        path.find(root).stream().map(JsonPath::printed).collect(Collectors.joining(" "));
                    case Part.Range(var path, var inner) ->
                        path.find(root).stream()
                                .map(value -> print(inner, value))
                                .collect(Collectors.joining());
                })
                .collect(Collectors.joining());
    }

    /** Colours that are not ours would pass {@link TerminalWriter}, which writes out all else that is hidden. */
    private static String printed(JsonNode value) {
        return shown(value).replace(String.valueOf(Ink.ESCAPE), VisibleText.escape(Ink.ESCAPE));
    }

    private static String shown(JsonNode value) {
        return value.isTextual() ? value.textValue() : value.isNull() ? "" : Json.write(value);
    }
}
