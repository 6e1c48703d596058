package io.taskexec.model.delivery;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry for a Redis stream with nothing left to resolve.
 *
 * @param url {@code redis://} or {@code rediss://}; may hold a password
 * @param stream the key of the stream
 * @param fields names to values, in the order they are stored
 * @param maxLen the most entries that the stream may have; null when it only grows
 * @param approximate whether Redis may keep somewhat more than that
 * @param timeout bound on the whole delivery
 */
public record StreamEntry(
        String url,
        String stream,
        Map<String, String> fields,
        @Nullable Integer maxLen,
        boolean approximate,
        Duration timeout)
        implements DispatchRequest {
    @Override
    public StreamEntry withTimeout(Duration other) {
        return new StreamEntry(url, stream, fields, maxLen, approximate, other);
    }
}
