package io.taskexec.api.connection;

import io.quarkus.arc.Arc;
import io.vertx.core.impl.VertxBuilder;
import io.vertx.core.spi.VertxServiceProvider;

/**
 * Puts the limits of connections into Vert.x, for all servers that it starts. Neither its settings nor those of Quarkus
 * can tell a client that sends a byte a second from one that works, and what refuses connections there sees them late.
 */
public final class ConnectionLimits implements VertxServiceProvider {
    /** Applies to the Vert.x of Quarkus alone: one that is made without a container has no limits. */
    @Override
    public void init(VertxBuilder builder) {
        var container = Arc.container();
        if (container != null) {
            apply(builder, container.select(ConnectionConfig.class).get());
        }
    }

    static void apply(VertxBuilder builder, ConnectionConfig config) {
        var _ = builder.findTransport(new LimitedTransport(builder.findTransport(), config));
    }
}
