package io.taskexec.dispatch.http;

import io.vertx.core.http.HttpConnection;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Remembers which connections have carried an answer before. The other side may close such a connection at the moment
 * the next request is written to it, which says nothing about the request.
 */
final class ReusedConnections {
    /** Longer than any call that may be under way. */
    private static final long LONGEST_HOURS = 1;

    private final Set<HttpConnection> reused =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** Notes that {@code connection} has carried a whole answer. */
    void add(HttpConnection connection) {
        var _ = reused.add(connection);
    }

    /**
     * Sends nothing more on a connection of HTTP/2, which is closed when all that is under way on it has ended. A call
     * that has a place on it by then finds it closed, as one that is reused.
     */
    void retire(HttpConnection connection) {
        add(connection);
        var _ = connection.shutdown(LONGEST_HOURS, TimeUnit.HOURS);
    }

    /** Whether {@code connection} has carried an answer before, or was retired. */
    boolean contains(HttpConnection connection) {
        return reused.contains(connection);
    }
}
