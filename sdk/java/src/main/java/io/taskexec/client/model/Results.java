package io.taskexec.client.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

/** Reads the JSON of an output as what it was. */
final class Results {
    private Results() {}

    static <T> @Nullable T read(@Nullable JsonNode output, Class<T> type, ObjectMapper mapper) {
        var json = output == null ? null : output.get("json");
        if (json == null || json.isNull()) {
            return null;
        }
        try {
            return mapper.treeToValue(json, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("The result is no " + type.getSimpleName() + ": " + json, e);
        }
    }
}
