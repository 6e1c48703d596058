package io.taskexec.api.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a connection off whose client takes too long to send a request, however often it sends a byte of it. The time of
 * the server itself does not count, nor does that between requests, which the idle timeout bounds. Requests of HTTP/2
 * share a connection, which frames without a request keep open: such a connection ends at its first deadline.
 *
 * <p>Comes first in the pipeline and sees bytes; {@link Progress} sees what they are. There is one timer for a
 * connection and not one for each request, which only writes down the time.
 */
final class RequestDeadline extends ChannelDuplexHandler {
    /**
     * The name of the last handler of bytes in Vert.x. It is gone while a request with a body becomes one of HTTP/2.
     */
    private static final String ENCODER = "httpEncoder";

    private final long timeout;
    private boolean awaiting;
    private long since;
    private int beingAnswered;
    private boolean seesRequests;
    private @Nullable Future<?> timer;

    RequestDeadline(Duration timeout) {
        this.timeout = timeout.toNanos();
    }

    @Override
    public void channelActive(ChannelHandlerContext connection) {
        await();
        watch(connection, timeout);
        var _ = connection.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext connection) {
        if (timer != null) {
            var _ = timer.cancel(false);
        }
        var _ = connection.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext connection, Object message) {
        if (!awaiting) {
            await();
        }
        var bytes = (ByteBuf) message;
        while (!seesRequests(connection) && bytes.readableBytes() > 1) {
            // The server looks for the preface of HTTP/2 first. It must have decided before a whole request has come.
            var _ = connection.fireChannelRead(bytes.readRetainedSlice(1));
        }
        var _ = connection.fireChannelRead(bytes);
    }

    private boolean seesRequests(ChannelHandlerContext connection) {
        var pipeline = connection.pipeline();
        if (!seesRequests && pipeline.get(ENCODER) != null) {
            seesRequests = true;
            var _ = pipeline.addAfter(ENCODER, null, new Progress());
        }
        return seesRequests || pipeline.get(Http2ConnectionHandler.class) != null;
    }

    private void await() {
        awaiting = true;
        since = System.nanoTime();
    }

    private void watch(ChannelHandlerContext connection, long nanos) {
        timer = connection.executor().schedule(() -> check(connection), nanos, TimeUnit.NANOSECONDS);
    }

    private void check(ChannelHandlerContext connection) {
        if (connection.pipeline().get(Http2ConnectionHandler.class) != null) {
            var _ = connection.close();
            return;
        }
        var now = System.nanoTime();
        if (beingAnswered > 0 || !connection.channel().config().isAutoRead()) {
            // The client waits for the server.
            since = now;
        }
        var left = awaiting ? timeout - (now - since) : timeout;
        if (left > 0) {
            watch(connection, left);
        } else {
            var _ = connection.close();
        }
    }

    /** Sees requests and answers as objects. */
    private final class Progress extends ChannelDuplexHandler {
        @Override
        public void channelRead(ChannelHandlerContext connection, Object message) {
            if (message instanceof HttpRequest) {
                await();
            }
            if (message instanceof LastHttpContent) {
                awaiting = false;
                beingAnswered++;
            }
            var _ = connection.fireChannelRead(message);
        }

        @Override
        public void write(ChannelHandlerContext connection, Object message, ChannelPromise written) {
            if (message instanceof LastHttpContent && !isInterim(message)) {
                beingAnswered--;
                since = System.nanoTime();
            }
            var _ = connection.write(message, written);
        }

        private boolean isInterim(Object message) {
            return message instanceof HttpResponse response
                    && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
        }
    }
}
