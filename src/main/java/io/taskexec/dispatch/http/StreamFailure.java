package io.taskexec.dispatch.http;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2NoMoreStreamIdsException;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import java.io.IOException;

/** Classifies connections, and streams of HTTP/2, that ended without an answer. */
final class StreamFailure {
    private StreamFailure() {}

    /** Whether the connection was closed, or is being closed (GOAWAY), without an answer. */
    static boolean isClosed(Throwable failure) {
        return failure instanceof HttpClosedException || failure instanceof IOException || cannotBegin(failure);
    }

    /**
     * Whether nothing was sent: Netty's own error, which never comes from the other side, when a stream begins on a
     * connection just closed.
     */
    static boolean cannotBegin(Throwable failure) {
        return failure instanceof Http2Exception e
                && e.error() == Http2Error.INTERNAL_ERROR
                && !Http2Exception.isStreamError(e);
    }

    /** Whether the request was surely not looked at (RFC 9113, 8.7): the receiver says so, or it was never sent. */
    static boolean isRefusal(Throwable failure) {
        return switch (failure) {
            case StreamResetException e -> e.getCode() == Http2Error.REFUSED_STREAM.code();
            case Http2NoMoreStreamIdsException _ -> true;
            case Http2Exception e -> e.error() == Http2Error.REFUSED_STREAM;
            default -> false;
        };
    }
}
