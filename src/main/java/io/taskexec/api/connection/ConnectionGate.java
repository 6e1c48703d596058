package io.taskexec.api.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.taskexec.model.audit.ClientNetwork;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jboss.logging.Logger;

/** Stands before one server: counts its connections, closes those that are too many and gives the others a deadline. */
final class ConnectionGate extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = Logger.getLogger(ConnectionGate.class);
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

    private final ConnectionConfig config;
    private final Map<ClientNetwork, Integer> byNetwork = new HashMap<>();
    private int open;
    private long warnedAt = System.nanoTime() - BETWEEN_WARNINGS.toNanos();

    ConnectionGate(ConnectionConfig config) {
        this.config = config;
    }

    /** @param message a connection that has been accepted and is not yet read from */
    @Override
    public void channelRead(ChannelHandlerContext server, Object message) {
        if (!(message instanceof Channel connection)) {
            var _ = server.fireChannelRead(message);
            return;
        }
        if (!(connection.remoteAddress() instanceof InetSocketAddress address)) {
            // It has gone already, or comes over a socket of this machine.
            var _ = server.fireChannelRead(message);
            return;
        }
        var network = ClientNetwork.of(address.getAddress());
        if (!enter(network)) {
            connection.unsafe().closeForcibly();
            return;
        }
        var _ = connection.closeFuture().addListener(_ -> leave(network));
        var _ = connection.pipeline().addFirst(new RequestDeadline(config.requestTimeout()));
        var _ = server.fireChannelRead(message);
    }

    private synchronized boolean enter(ClientNetwork network) {
        var most = config.maxConnectionsPerAddress();
        if (open >= config.maxConnections() || (most > 0 && byNetwork.getOrDefault(network, 0) >= most)) {
            warn(network);
            return false;
        }
        open++;
        if (most > 0) {
            byNetwork.merge(network, 1, Integer::sum);
        }
        return true;
    }

    private synchronized void leave(ClientNetwork network) {
        open--;
        byNetwork.computeIfPresent(network, (_, count) -> count == 1 ? null : count - 1);
    }

    private void warn(ClientNetwork network) {
        var now = System.nanoTime();
        if (now - warnedAt >= BETWEEN_WARNINGS.toNanos()) {
            warnedAt = now;
            LOG.warnf(
                    "connections are refused, the last one from %s: %d are open"
                            + " (TE_LISTEN_MAX_CONNECTIONS, TE_LISTEN_MAX_CONNECTIONS_PER_ADDRESS)",
                    network.prefix(), open);
        }
    }
}
