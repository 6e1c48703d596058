package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import io.taskexec.cli.Durations;
import io.taskexec.cli.text.YamlDocument;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** What a value of the API looks like: enough to find a misspelt field before anything is sent, and to compare two values. */
sealed interface Shape {
    /** Tells of everything in a value that cannot be. */
    void check(JsonNode value, String pointer, Problems problems);

    /** The one form that all values have which mean the same, what the server fills in included. */
    JsonNode normal(JsonNode value);

    /** A value without parts. */
    enum Leaf implements Shape {
        TEXT("a text, in quotes when it looks like something else"),
        WHOLE("a whole number"),
        FLAG("true or false"),
        /** One of a few words, whose spelling the server checks. */
        WORD("a word"),
        DURATION("a duration, such as PT15M or 15m"),
        TIME("a time with offset, such as 2026-03-15T18:00:00Z"),
        ANY("anything");

        private final String description;

        Leaf(String description) {
            this.description = description;
        }

        @Override
        public void check(JsonNode value, String pointer, Problems problems) {
            var fits = switch (this) {
                case TEXT, WORD -> value.isTextual();
                case WHOLE -> value.isIntegralNumber();
                case FLAG -> value.isBoolean();
                case DURATION -> value.isTextual() && Durations.parse(value.textValue()) != null;
                case TIME -> value.isTextual() && time(value.textValue()) != null;
                case ANY -> true;
            };
            if (!fits) {
                problems.add(pointer, "must be " + description);
            }
        }

        @Override
        public JsonNode normal(JsonNode value) {
            return switch (this) {
                case DURATION -> TextNode.valueOf(String.valueOf(Durations.parse(value.asText())));
                case TIME -> TextNode.valueOf(String.valueOf(time(value.asText())));
                case TEXT, WORD, WHOLE, FLAG, ANY -> value;
            };
        }

        private static @Nullable Instant time(String text) {
            try {
                return OffsetDateTime.parse(text).toInstant();
            } catch (DateTimeParseException _) {
                return null;
            }
        }
    }

    /**
     * A list.
     *
     * @param ordered whether the order means something
     */
    record Many(Shape element, boolean ordered) implements Shape {
        @Override
        public void check(JsonNode value, String pointer, Problems problems) {
            if (!value.isArray()) {
                problems.add(pointer, "must be a list");
            }
            for (var i = 0; value.isArray() && i < value.size(); i++) {
                element.check(value.path(i), pointer + "/" + i, problems);
            }
        }

        @Override
        public JsonNode normal(JsonNode value) {
            var elements = StreamSupport.stream(value.spliterator(), false).map(element::normal);
            var array = JsonNodeFactory.instance.arrayNode();
            (ordered ? elements : elements.sorted(Comparator.comparing(JsonNode::asText))).forEach(array::add);
            return array;
        }
    }

    /** Any names, each with a value of the same shape. */
    record Named(Shape value) implements Shape {
        @Override
        public void check(JsonNode tree, String pointer, Problems problems) {
            if (!tree.isObject()) {
                problems.add(pointer, "must have names and values");
            }
            tree.properties()
                    .forEach(e -> value.check(e.getValue(), pointer + "/" + YamlDocument.escape(e.getKey()), problems));
        }

        @Override
        public JsonNode normal(JsonNode tree) {
            return tree;
        }
    }

    /**
     * A field of an object.
     *
     * @param usual what the server takes when it is left out; null for nothing
     */
    record Field(Shape shape, boolean required, @Nullable JsonNode usual) {}

    /** An object with fields that are known. */
    record Fields(Map<String, Field> fields) implements Shape {
        @Override
        public void check(JsonNode value, String pointer, Problems problems) {
            if (!value.isObject()) {
                problems.add(pointer, "must have fields");
                return;
            }
            for (var given : value.properties()) {
                var field = fields.get(given.getKey());
                var below = pointer + "/" + YamlDocument.escape(given.getKey());
                if (field == null) {
                    problems.add(
                            below,
                            "there is no field '" + given.getKey() + "' here; there are "
                                    + String.join(", ", fields.keySet()));
                } else if (!given.getValue().isNull()) {
                    field.shape().check(given.getValue(), below, problems);
                }
            }
            fields.forEach((name, field) -> {
                if (field.required() && !value.hasNonNull(name)) {
                    problems.add(pointer, "'" + name + "' is required");
                }
            });
        }

        @Override
        public JsonNode normal(JsonNode value) {
            var normal = JsonNodeFactory.instance.objectNode();
            fields.forEach((name, field) -> {
                var given = value.path(name);
                if (!given.isMissingNode() && !given.isNull() && !isLeftOut(given, field)) {
                    normal.set(name, field.shape().normal(given));
                } else if (field.usual() != null) {
                    normal.set(name, field.shape().normal(field.usual()));
                }
            });
            return normal;
        }

        /** The server takes an empty list for none where a list has a default. */
        private static boolean isLeftOut(JsonNode given, Field field) {
            return given.isArray() && given.isEmpty() && field.usual() != null;
        }
    }
}
