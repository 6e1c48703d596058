package io.taskexec.dispatch.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections to Redis. All deliveries to a target share one. It is closed when nobody has used it for a while, or
 * when others need its place, but never while it is in use.
 */
final class RedisConnections {
    static final Duration IDLE = Duration.ofMinutes(10);

    private static final Duration SWEEP = Duration.ofMinutes(1);

    private final Vertx vertx;
    private final RedisConnector connector;
    private final LongSupplier nanoTime;
    private final int most;

    /** The one that deliveries to a target get; the one whose last delivery began first stands first. */
    private final Map<RedisTarget, SharedConnection> current = new LinkedHashMap<>(16, 0.75f, true);

    private int open;
    private @Nullable Long sweep;

    RedisConnections(Vertx vertx, RedisConnector connector, LongSupplier nanoTime, int most) {
        this.vertx = vertx;
        this.connector = connector;
        this.nanoTime = nanoTime;
        this.most = most;
    }

    /** How many there are, those included that are being opened, or retired and still in use. */
    synchronized int open() {
        return open;
    }

    /**
     * The connection to {@code target} for one delivery more, which must {@link #giveBack} it; null when there are too many
     * and all of them are in use.
     */
    synchronized @Nullable SharedConnection take(RedisTarget target) {
        var shared = current.get(target);
        if (shared != null && shared.isBroken()) {
            retire(shared);
            shared = null;
        }
        if (shared == null) {
            if (!hasRoom()) {
                return null;
            }
            shared = add(target);
        }
        shared.users++;
        return shared;
    }

    /** Ends a use that began with {@link #take}. */
    synchronized void giveBack(SharedConnection shared) {
        shared.users--;
        shared.lastUsed = nanoTime.getAsLong();
        closeIfUnused(shared);
    }

    /** Lets no other delivery have it; it is closed when the last one that uses it has ended. */
    synchronized void retire(SharedConnection shared) {
        shared.retired = true;
        var _ = current.remove(shared.target, shared);
        closeIfUnused(shared);
    }

    /** Closes those that nobody has used for a while. */
    synchronized void closeIdle() {
        var now = nanoTime.getAsLong();
        for (var shared : List.copyOf(current.values())) {
            if (shared.users == 0 && now - shared.lastUsed >= IDLE.toNanos()) {
                retire(shared);
            }
        }
    }

    /** Closes all of them, for good. */
    synchronized void close() {
        if (sweep != null) {
            var _ = vertx.cancelTimer(sweep);
        }
        List.copyOf(current.values()).forEach(this::retire);
        connector.close();
    }

    private boolean hasRoom() {
        if (open >= most) {
            current.values().stream()
                    .filter(shared -> shared.users == 0)
                    .findFirst()
                    .ifPresent(this::retire);
        }
        return open < most;
    }

    private SharedConnection add(RedisTarget target) {
        if (sweep == null) {
            sweep = vertx.setPeriodic(SWEEP.toMillis(), _ -> closeIdle());
        }
        var shared = new SharedConnection(target, connector.open(target), nanoTime.getAsLong());
        current.put(target, shared);
        open++;
        var _ = shared.opening.whenComplete((connection, failure) -> {
            if (failure == null) {
                watch(shared, connection);
            } else {
                retire(shared);
            }
        });
        return shared;
    }

    /** A connection that the server closes while nobody uses it gives up its place. */
    private void watch(SharedConnection shared, StatefulRedisConnection<String, String> connection) {
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> broken) {
                retire(shared);
            }
        });
        if (!connection.isOpen()) {
            retire(shared);
        }
    }

    private void closeIfUnused(SharedConnection shared) {
        if (shared.retired && shared.users == 0 && !shared.closed) {
            shared.closed = true;
            open--;
            var _ = shared.opening.thenAccept(connection -> {
                var _ = connection.closeAsync();
            });
        }
    }
}
