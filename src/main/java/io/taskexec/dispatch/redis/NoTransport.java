package io.taskexec.dispatch.redis;

import io.lettuce.core.resource.EventLoopResources;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.SocketAddress;
import java.util.concurrent.ThreadFactory;

/** Tells Lettuce that a native image has no transport of the operating system. */
enum NoTransport implements EventLoopResources {
    INSTANCE;

    static UnsupportedOperationException unavailable() {
        return new UnsupportedOperationException("Only the sockets of the JDK are used.");
    }

    @Override
    public boolean matches(Class<? extends EventExecutorGroup> type) {
        return false;
    }

    @Override
    public Class<? extends EventLoopGroup> eventLoopGroupClass() {
        throw unavailable();
    }

    @Override
    public EventLoopGroup newEventLoopGroup(int threads, ThreadFactory factory) {
        throw unavailable();
    }

    @Override
    public Class<? extends Channel> socketChannelClass() {
        throw unavailable();
    }

    @Override
    public Class<? extends Channel> domainSocketChannelClass() {
        throw unavailable();
    }

    @Override
    public Class<? extends DatagramChannel> datagramChannelClass() {
        throw unavailable();
    }

    @Override
    public SocketAddress newSocketAddress(String path) {
        throw unavailable();
    }
}
