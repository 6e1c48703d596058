package io.taskexec.dispatch.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.concurrent.ImmediateEventExecutor;
import org.junit.jupiter.api.Test;

/** Failures that Netty's HTTP/2 reports, and what they say about the request. */
class StreamFailureTest {
    private final DefaultHttp2Connection connection = new DefaultHttp2Connection(false);

    private Throwable failureOfNextStream() {
        return catchThrowable(() -> connection.local().createStream(5, false));
    }

    @Test
    void aStreamOnAConnectionJustClosedFindsItClosed() {
        var _ = connection.close(ImmediateEventExecutor.INSTANCE.newPromise());

        assertThat(StreamFailure.isClosed(failureOfNextStream())).isTrue();
    }

    @Test
    void aStreamOnAConnectionThatIsGoingAwayIsRefused() throws Http2Exception {
        connection.local().maxActiveStreams(10);
        connection.goAwayReceived(3, Http2Error.NO_ERROR.code(), Unpooled.EMPTY_BUFFER);

        var failure = failureOfNextStream();

        assertThat(StreamFailure.isRefusal(failure)).isTrue();
        assertThat(StreamFailure.isClosed(failure)).isFalse();
    }

    @Test
    void anErrorOfTheProtocolIsNeither() {
        var failure = Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "broken");

        assertThat(StreamFailure.isClosed(failure)).isFalse();
        assertThat(StreamFailure.isRefusal(failure)).isFalse();
    }
}
