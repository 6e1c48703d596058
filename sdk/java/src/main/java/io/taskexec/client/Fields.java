package io.taskexec.client;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The fields of a request, as the API names them. Builders have methods for those that are used most.
 *
 * @param <S> the builder itself
 */
public abstract class Fields<S extends Fields<S>> {
    private final Map<String, Object> values = new LinkedHashMap<>();

    Fields() {}

    abstract S self();

    /**
     * Sets a field.
     *
     * @param name as the API names it, such as {@code catch_up}
     * @param value becomes JSON; instants and durations become ISO 8601
     * @return this
     */
    public final S set(String name, Object value) {
        values.put(name, value);
        return self();
    }

    final boolean has(String name) {
        return values.containsKey(name);
    }

    /**
     * Returns what was set.
     *
     * @return a view
     */
    @JsonValue
    public final Map<String, Object> fields() {
        return Collections.unmodifiableMap(values);
    }

    static long millis(Duration time) {
        return time.toMillis();
    }
}
