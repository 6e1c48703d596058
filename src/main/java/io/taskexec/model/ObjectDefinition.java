package io.taskexec.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Defines an object of a request.
 *
 * @param name the name of its schema in the OpenAPI document
 */
public record ObjectDefinition(String name, Map<String, FieldDefinition> fields) implements ValueType {
    public static ObjectDefinition of(String name, FieldDefinition... fields) {
        return new ObjectDefinition(name, Map.of()).with(fields);
    }

    /** The definition of a field, which there must be. */
    public FieldDefinition field(String field) {
        return Objects.requireNonNull(fields.get(field), field);
    }

    /** The same object under another name. */
    public ObjectDefinition named(String other) {
        return new ObjectDefinition(other, fields);
    }

    /** The same object with more fields, or other definitions in the place of those with the same names. */
    public ObjectDefinition with(FieldDefinition... more) {
        var all = new LinkedHashMap<>(fields);
        for (var field : more) {
            all.put(field.name(), field);
        }
        return new ObjectDefinition(name, Collections.unmodifiableMap(all));
    }

    /** The same object without some fields. */
    public ObjectDefinition without(String... names) {
        var rest = new LinkedHashMap<>(fields);
        rest.keySet().removeAll(List.of(names));
        return new ObjectDefinition(name, Collections.unmodifiableMap(rest));
    }
}
