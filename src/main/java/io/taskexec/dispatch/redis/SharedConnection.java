package io.taskexec.dispatch.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** A connection to Redis and how many deliveries use it; the counting is guarded by {@link RedisConnections}. */
final class SharedConnection {
    final RedisTarget target;

    /** Ends with the connection, or with why there is none. */
    final CompletableFuture<StatefulRedisConnection<String, String>> opening;

    int users;
    long lastUsed;

    /** Whether deliveries that begin from now on get another one. */
    boolean retired;

    boolean closed;

    SharedConnection(
            RedisTarget target, CompletableFuture<StatefulRedisConnection<String, String>> opening, long lastUsed) {
        this.target = target;
        this.opening = opening;
        this.lastUsed = lastUsed;
    }

    /** Whether it was open, and is no more. */
    boolean isBroken() {
        return opening.state() == Future.State.SUCCESS && !opening.resultNow().isOpen();
    }
}
