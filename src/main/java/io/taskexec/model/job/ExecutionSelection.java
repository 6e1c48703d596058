package io.taskexec.model.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Selects executions of all jobs; a null field selects any.
 *
 * @param errorType why they failed
 * @param createdFrom at this moment or later
 * @param createdBefore before this moment
 * @param retried whether another execution repeats them
 */
public record ExecutionSelection(
        @Nullable ExecutionStatus status,
        Failure.@Nullable Type errorType,
        @Nullable String endpoint,
        @Nullable String queue,
        @Nullable String tag,
        @Nullable Instant createdFrom,
        @Nullable Instant createdBefore,
        @Nullable Boolean retried) {

    /** The form that the store keeps. */
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        put(json, "status", status);
        put(json, "error_type", errorType);
        put(json, "endpoint", endpoint);
        put(json, "queue", queue);
        put(json, "tag", tag);
        put(json, "created_from", createdFrom);
        put(json, "created_before", createdBefore);
        put(json, "retried", retried);
        return json;
    }

    private static void put(ObjectNode json, String field, @Nullable Object value) {
        if (value != null) {
            json.put(field, value.toString());
        }
    }

    /** Reads back what {@link #toJson} wrote. */
    public static ExecutionSelection of(JsonNode json) {
        return new ExecutionSelection(
                read(json, "status", ExecutionStatus::valueOf),
                read(json, "error_type", Failure.Type::valueOf),
                read(json, "endpoint", Function.identity()),
                read(json, "queue", Function.identity()),
                read(json, "tag", Function.identity()),
                read(json, "created_from", Instant::parse),
                read(json, "created_before", Instant::parse),
                read(json, "retried", Boolean::valueOf));
    }

    private static <T> @Nullable T read(JsonNode json, String field, Function<String, T> reader) {
        var text = json.path(field).textValue();
        return text == null ? null : reader.apply(text);
    }
}
