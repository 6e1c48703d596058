package io.taskexec.dispatch.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Finds connections of HTTP/2 on which nothing arrives any more, such as one that a firewall has forgotten. The system
 * would send on them for a quarter of an hour before it gives up, and so would all calls to this receiver.
 */
final class ConnectionProbe {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** The payload of a ping is opaque (RFC 9113, 6.7). */
    private static final Buffer PING = Buffer.buffer(new byte[8]);

    /** The connections that are asked, each with the try. */
    private final Map<HttpConnection, Object> asked = new ConcurrentHashMap<>();

    /** Sends a ping on {@code connection}, on which a call has timed out, and closes it when nothing arrives on it. */
    void ask(HttpConnection connection) {
        var attempt = new Object();
        if (asked.putIfAbsent(connection, attempt) == null) {
            var _ = connection
                    .ping(PING)
                    .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .onSuccess(_ -> asked.remove(connection, attempt))
                    .onFailure(_ -> {
                        if (asked.remove(connection, attempt)) {
                            var _ = connection.close();
                        }
                    });
        }
    }

    /** An answer has begun on {@code connection}; a receiver that is busy may answer a ping later than that. */
    void heard(HttpConnection connection) {
        if (!asked.isEmpty()) {
            var _ = asked.remove(connection);
        }
    }
}
