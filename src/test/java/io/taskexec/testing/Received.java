package io.taskexec.testing;

import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request as the receiver saw it.
 *
 * @param path with the query
 * @param headers by lower-case name; of repeated ones the last
 * @param body as a text, and {@code bytes} as it came
 * @param arrivedAt when its head arrived
 */
public record Received(
        String method, String path, Map<String, String> headers, String body, Buffer bytes, Instant arrivedAt) {
    /** The value of a header, whatever its case, or null. */
    public @Nullable String header(String name) {
        return headers.get(name.toLowerCase(Locale.ROOT));
    }
}
