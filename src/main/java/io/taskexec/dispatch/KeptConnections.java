package io.taskexec.dispatch;

import io.vertx.core.http.HttpConnection;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Remembers which connections have carried an answer before. The other side may close such a connection at the moment
 * the next request is written to it, which says nothing about the request.
 */
final class KeptConnections {
    private final Set<HttpConnection> kept =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** Notes that {@code connection} has carried a whole answer. */
    void add(HttpConnection connection) {
        var _ = kept.add(connection);
    }

    /** Whether {@code connection} had carried an answer before. */
    boolean contains(HttpConnection connection) {
        return kept.contains(connection);
    }
}
