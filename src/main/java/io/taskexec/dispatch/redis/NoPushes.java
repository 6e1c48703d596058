package io.taskexec.dispatch.redis;

import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.UnsupportedMessageTypeException;

/**
 * Closes connections on which a server pushes messages, which RESP2 does not have. The client would read them, and
 * allocate as many places as such a message says that it has parts.
 */
final class NoPushes extends ChannelInboundHandlerAdapter {
    private byte last = '\n';

    /** Adds one to each connection. */
    static NettyCustomizer onEach() {
        return new NettyCustomizer() {
            @Override
            public void afterChannelInitialized(Channel channel) {
                var pipeline = channel.pipeline();
                var _ = pipeline.addBefore(
                        pipeline.context(CommandHandler.class).name(), null, new NoPushes());
            }
        };
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes && bytes.forEachByte(this::isNoPush) >= 0) {
            var _ = bytes.release();
            context.fireExceptionCaught(new UnsupportedMessageTypeException("the server pushes messages"));
            var _ = context.close();
        } else {
            context.fireChannelRead(message);
        }
    }

    /** The type of a message stands at the beginning of a line. */
    private boolean isNoPush(byte next) {
        var isPush = last == '\n' && next == '>';
        last = next;
        return !isPush;
    }
}
