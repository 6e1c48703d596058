package io.taskexec.testing;

import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What a receiver answers.
 *
 * @param release the answer is not sent before this completes
 */
public record Answer(int status, Map<String, String> headers, Buffer body, CompletionStage<?> release) {
    /** A status and a text, at once. */
    public static Answer of(int status, String body) {
        return new Answer(status, Map.of(), Buffer.buffer(body), CompletableFuture.completedFuture(null));
    }

    /** The same with one more header. */
    public Answer with(String header, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new Answer(status, more, body, release);
    }

    /** The same with other bytes as its body. */
    public Answer with(Buffer bytes) {
        return new Answer(status, headers, bytes, release);
    }

    /** The same, held back until {@code event} completes. */
    public Answer after(CompletionStage<?> event) {
        return new Answer(status, headers, body, event);
    }
}
