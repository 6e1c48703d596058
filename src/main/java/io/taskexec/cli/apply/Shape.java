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

/**
 * Describes a value of the API: enough to find a misspelt field before a request is sent, and to compare two values.
 */
sealed interface Shape {
    /** Adds all errors in a value. */
    void check(JsonNode value, String pointer, Problems problems);

    /** Returns the normal form, which is equal for values with the same meaning, and includes defaults. */
    JsonNode normal(JsonNode value);

    /** A value without fields or elements. */
    enum Scalar implements Shape {
        TEXT("a string, in quotes when it looks like another type"),
        WHOLE("an integer"),
        FLAG("true or false"),
        /** One of a few words that the server checks. */
        WORD("a word"),
        DURATION("a duration, such as PT15M or 15m"),
        TIME("a time with offset, such as 2026-03-15T18:00:00Z"),
        ANY("anything");

        private final String description;

        Scalar(String description) {
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
     * @param ordered whether the order has a meaning
     */
    record ListShape(Shape element, boolean ordered) implements Shape {
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

    /** An object with any names and values of one shape. */
    record MapShape(Shape value) implements Shape {
        @Override
        public void check(JsonNode tree, String pointer, Problems problems) {
            if (!tree.isObject()) {
                problems.add(pointer, "must be an object");
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
     * @param defaultValue the default of the server; null for none
     */
    record Property(Shape shape, boolean required, @Nullable JsonNode defaultValue) {}

    /** An object with known fields. */
    record ObjectShape(Map<String, Property> fields) implements Shape {
        @Override
        public void check(JsonNode value, String pointer, Problems problems) {
            if (!value.isObject()) {
                problems.add(pointer, "must be an object");
                return;
            }
            for (var given : value.properties()) {
                var field = fields.get(given.getKey());
                var below = pointer + "/" + YamlDocument.escape(given.getKey());
                if (field == null) {
                    problems.add(
                            below,
                            "'" + given.getKey() + "' is not a known field; known fields: "
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
                } else if (field.defaultValue() != null) {
                    normal.set(name, field.shape().normal(field.defaultValue()));
                }
            });
            return normal;
        }

        /** Where a list has a default, the server treats an empty list as not set. */
        private static boolean isLeftOut(JsonNode given, Property field) {
            return given.isArray() && given.isEmpty() && field.defaultValue() != null;
        }
    }
}
