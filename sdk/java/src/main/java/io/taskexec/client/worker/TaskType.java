package io.taskexec.client.worker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

/**
 * A type of tasks with its handler.
 *
 * @param endpoint where its tasks wait
 * @param type the class
 * @param handler runs them
 * @param options how they run
 * @param <T> the tasks
 */
record TaskType<T>(String endpoint, Class<T> type, Handler<T> handler, HandlerOptions<T> options) {
    /** Reads a task; a job without an input has an empty one. */
    T read(@Nullable JsonNode input, ObjectMapper mapper) {
        try {
            return mapper.treeToValue(input == null ? mapper.createObjectNode() : input, type);
        } catch (JsonProcessingException e) {
            throw new PermanentException(
                    "The input is no %s: %s".formatted(type.getSimpleName(), e.getOriginalMessage()),
                    "INVALID_INPUT",
                    e);
        }
    }

    boolean isGated() {
        return options.footprint() != null;
    }
}
