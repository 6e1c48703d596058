package io.taskexec.dispatch.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Finds connections of HTTP/2 on which nothing arrives any more, such as one that a firewall has forgotten. The system
 * would send on them for a quarter of an hour before it gives up, and so would all calls to this receiver.
 */
final class ConnectionProbe {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** What a ping carries means nothing (RFC 9113, 6.7). */
    private static final Buffer PING = Buffer.buffer(new byte[8]);

    private final Set<HttpConnection> asked = ConcurrentHashMap.newKeySet();

    /** Sends a ping on {@code connection}, on which a call has timed out, and closes it when there is no answer. */
    void ask(HttpConnection connection) {
        if (asked.add(connection)) {
            var _ = connection
                    .ping(PING)
                    .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .onFailure(_ -> connection.close())
                    .onComplete(_ -> asked.remove(connection));
        }
    }
}
