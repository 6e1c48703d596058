package io.taskexec.api.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.transport.Transport;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Another transport, with a gate before each of its servers. */
final class LimitedTransport implements Transport {
    private final Transport other;
    private final ConnectionConfig config;

    LimitedTransport(Transport other, ConnectionConfig config) {
        this.other = other;
        this.config = config;
    }

    @Override
    public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
        other.configure(options, domainSocket, bootstrap);
        var _ = bootstrap.handler(new ConnectionGate(config));
    }

    @Override
    public boolean supportsDomainSockets() {
        return other.supportsDomainSockets();
    }

    @Override
    public boolean supportFileRegion() {
        return other.supportFileRegion();
    }

    @Override
    public boolean isAvailable() {
        return other.isAvailable();
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return other.unavailabilityCause();
    }

    @Override
    public java.net.SocketAddress convert(SocketAddress address) {
        return other.convert(address);
    }

    @Override
    public SocketAddress convert(java.net.SocketAddress address) {
        return other.convert(address);
    }

    @Override
    public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
        return other.eventLoopGroup(type, threads, factory, ioRatio);
    }

    @Override
    public DatagramChannel datagramChannel() {
        return other.datagramChannel();
    }

    @Override
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        return other.datagramChannel(family);
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return other.channelFactory(domainSocket);
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return other.serverChannelFactory(domainSocket);
    }

    @Override
    public void configure(DatagramChannel channel, DatagramSocketOptions options) {
        other.configure(channel, options);
    }

    @Override
    public void configure(ClientOptionsBase options, boolean domainSocket, Bootstrap bootstrap) {
        other.configure(options, domainSocket, bootstrap);
    }
}
