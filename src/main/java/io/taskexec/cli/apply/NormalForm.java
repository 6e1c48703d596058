package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import io.taskexec.cli.Durations;
import io.taskexec.model.FieldDefinition;
import io.taskexec.model.Json;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Makes the normal form of a value, which is equal for values with the same meaning and includes defaults. */
final class NormalForm {
    private NormalForm() {}

    static JsonNode of(JsonNode value, ValueType type) {
        return switch (type) {
            case ValueType.Text text
            when text.isDuration() -> TextNode.valueOf(String.valueOf(Durations.parse(value.asText())));
            case ValueType.Plain plain
            when plain == ValueType.Plain.TIME -> TextNode.valueOf(String.valueOf(time(value.asText())));
            case ValueType.ListOf list -> list(value, list);
            case ValueType.MapOf map -> map(value, map);
            case ObjectDefinition object -> fields(value, object);
            case ValueType.Whole _ -> Json.isInt(value) ? IntNode.valueOf(value.intValue()) : value;
            case ValueType.Text _, ValueType.Words _, ValueType.Decimal _, ValueType.Plain _ -> value;
        };
    }

    /** The time that a text says, null for none. */
    static @Nullable Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException _) {
            return null;
        }
    }

    private static JsonNode map(JsonNode value, ValueType.MapOf map) {
        var normal = JsonNodeFactory.instance.objectNode();
        value.properties().forEach(e -> normal.set(e.getKey(), of(e.getValue(), map.values())));
        return normal;
    }

    private static JsonNode list(JsonNode value, ValueType.ListOf list) {
        var elements = StreamSupport.stream(value.spliterator(), false).map(element -> of(element, list.elements()));
        var array = JsonNodeFactory.instance.arrayNode();
        (list.order() == ValueType.Order.SEQUENCE ? elements : elements.sorted(Comparator.comparing(JsonNode::asText)))
                .forEach(array::add);
        return array;
    }

    private static JsonNode fields(JsonNode value, ObjectDefinition object) {
        var normal = JsonNodeFactory.instance.objectNode();
        object.fields().forEach((name, field) -> {
            var given = value.path(name);
            if (!given.isMissingNode() && !given.isNull() && !isLeftOut(given, field)) {
                normal.set(name, of(given, field.type()));
            } else if (field.defaultValue() != null) {
                normal.set(name, of(field.defaultValue(), field.type()));
            }
        });
        return normal;
    }

    /** Where a list has a default, the server treats an empty list as not set. */
    private static boolean isLeftOut(JsonNode given, FieldDefinition field) {
        return given.isArray() && given.isEmpty() && field.defaultValue() != null;
    }
}
