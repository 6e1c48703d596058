package io.taskexec.dispatch.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.vertx.core.http.HttpClosedException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class CallFailureTest {
    private static final HttpTarget TARGET = new HttpTarget(true, "a.example", 443, "/");

    private static void assertMessage(Throwable failure, String message) {
        assertThat(CallFailure.classify(failure, TARGET, false))
                .isEqualTo(new Outcome.RetryableFailure(new Failure(Failure.Type.CONNECTION_ERROR, message), null));
    }

    private static Throwable wrapped(Throwable cause) {
        return new SSLHandshakeException("Failed to create SSL connection").initCause(cause);
    }

    @Test
    void aConnectionThatWasClosedIsCalledThatWhereverItWasNoticed() {
        var message = "a.example:443 closed the connection before the answer was complete";

        assertMessage(new HttpClosedException("Connection was closed"), message);
        assertMessage(new ClosedChannelException(), message);
    }

    @Test
    void aFailureOfTlsHasTheReasonOfTheHandshake() {
        var handshake = new SSLHandshakeException("(certificate_unknown) no such name");

        assertMessage(
                wrapped(handshake.initCause(new CertificateException("of the certificate"))),
                "TLS with a.example:443 failed: (certificate_unknown) no such name");
        assertMessage(wrapped(new IOException("Connection reset")), "TLS with a.example:443 failed: Connection reset");
        assertMessage(
                wrapped(new ClosedChannelException()), "TLS with a.example:443 failed: the connection was closed");
        assertMessage(new SSLHandshakeException("no"), "TLS with a.example:443 failed: no");
    }
}
