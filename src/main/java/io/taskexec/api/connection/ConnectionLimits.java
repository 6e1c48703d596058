package io.taskexec.api.connection;

import io.vertx.core.impl.VertxBuilder;
import io.vertx.core.spi.VertxServiceProvider;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Puts the limits of connections into Vert.x, for all servers that it starts. Neither its settings nor those of Quarkus
 * can tell a client that sends a byte a second from one that works, and what refuses connections there sees them late.
 */
public final class ConnectionLimits implements VertxServiceProvider {
    private static final AtomicReference<@Nullable ConnectionConfig> CONFIG = new AtomicReference<>();

    /** Sets what holds for a Vert.x that is made after this. Without it there are no limits, as in clients. */
    public static void use(ConnectionConfig config) {
        CONFIG.set(config);
    }

    @Override
    public void init(VertxBuilder builder) {
        var config = CONFIG.get();
        if (config != null) {
            apply(builder, config);
        }
    }

    static void apply(VertxBuilder builder, ConnectionConfig config) {
        var _ = builder.findTransport(new LimitedTransport(builder.findTransport(), config));
    }
}
