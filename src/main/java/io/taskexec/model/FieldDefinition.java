package io.taskexec.model;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * Defines one field of a request, for its reader, the OpenAPI document and {@code taskexec apply}.
 *
 * @param defaultValue null for none
 * @param description what the name and the type leave open; null for nothing
 * @param example null for none
 */
public record FieldDefinition(
        String name,
        ValueType type,
        boolean isRequired,
        @Nullable JsonNode defaultValue,
        @Nullable String description,
        @Nullable String example) {
    public static FieldDefinition required(String name, ValueType type) {
        return new FieldDefinition(name, type, true, null, null, null);
    }

    public static FieldDefinition optional(String name, ValueType type) {
        return new FieldDefinition(name, type, false, null, null, null);
    }

    /** Its type, which must be of this kind. */
    public <T extends ValueType> T as(Class<T> kind) {
        return kind.cast(type);
    }

    /** The same field, with a default. */
    public FieldDefinition or(String json) {
        return new FieldDefinition(name, type, false, Json.stored(json), description, example);
    }

    public FieldDefinition or(Enum<?> constant) {
        return or("\"" + Option.word(constant) + "\"");
    }

    /** The same field, optional and without a default. */
    public FieldDefinition optional() {
        return new FieldDefinition(name, type, false, null, description, example);
    }

    public FieldDefinition says(String text) {
        return new FieldDefinition(name, type, isRequired, defaultValue, text, example);
    }

    public FieldDefinition example(String text) {
        return new FieldDefinition(name, type, isRequired, defaultValue, description, text);
    }
}
