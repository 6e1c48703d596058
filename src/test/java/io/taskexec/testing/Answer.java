package io.taskexec.testing;

import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The answer of a receiver.
 *
 * @param release the answer is not sent before this completes
 */
public record Answer(
        int status,
        Map<String, String> headers,
        Map<String, String> trailers,
        Buffer body,
        CompletionStage<?> release) {
    /** A status and a text, at once. */
    public static Answer of(int status, String body) {
        return new Answer(status, Map.of(), Map.of(), Buffer.buffer(body), CompletableFuture.completedFuture(null));
    }

    /** The same with one more header. */
    public Answer with(String header, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new Answer(status, more, trailers, body, release);
    }

    /** The same with these trailers, which HTTP/2 has. */
    public Answer withTrailers(Map<String, String> last) {
        return new Answer(status, headers, last, body, release);
    }

    /** The same with other bytes as its body. */
    public Answer with(Buffer bytes) {
        return new Answer(status, headers, trailers, bytes, release);
    }

    /** The same, held back until {@code event} completes. */
    public Answer after(CompletionStage<?> event) {
        return new Answer(status, headers, trailers, body, event);
    }
}
