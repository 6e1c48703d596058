package io.taskexec.dispatch.http;

import static io.taskexec.dispatch.http.HttpTestBed.DELIVERY;
import static io.taskexec.dispatch.http.HttpTestBed.PATIENCE;
import static io.taskexec.dispatch.http.HttpTestBed.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.TestCertificates;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A receiver whose certificate is for localhost, and for nothing else. */
class HttpTlsTest {
    private static HttpTestBed bed;
    private static HttpClientOptions trusting;
    private static int port;

    @BeforeAll
    static void open() {
        bed = new HttpTestBed();
        var authority = Buffer.buffer(TestCertificates.authority());
        trusting = new HttpClientOptions().setTrustOptions(new PemTrustOptions().addCertValue(authority));
        port = serve(TestCertificates.LOCALHOST);
    }

    private static int serve(String alias) {
        return bed.vertx
                .createHttpServer(
                        new HttpServerOptions().setSsl(true).setKeyCertOptions(TestCertificates.identity(alias)))
                .requestHandler(request -> request.response().end("over TLS"))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    @Test
    void aTrustedCertificateForTheNameIsAccepted() {
        assertThat(dispatch("localhost", trusting)).isInstanceOf(Outcome.Succeeded.class);
    }

    @Test
    void aTrustedCertificateForAnotherNameIsNot() {
        assertRefused(dispatch("127.0.0.1", trusting), "No subject alternative names");
    }

    @Test
    void aCertificateThatNobodyVouchesForIsNot() {
        assertRefused(dispatch("localhost", new HttpClientOptions()), "unable to find valid certification path");
    }

    @Test
    void aCertificateThatHasExpiredIsNot() {
        assertRefused(dispatch("localhost", serve(TestCertificates.EXPIRED), trusting), "validity check failed");
    }

    @Test
    void silenceInsteadOfAHandshakeTimesOut() {
        var silent = bed.serve(bed::watch);
        var outcome = bed.dispatcher
                .dispatch(get(tls(silent)).within(Duration.ofMillis(400)), DELIVERY)
                .await()
                .atMost(PATIENCE.dividedBy(2));
        assertThat(outcome)
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.TIMEOUT, "No complete answer within 400 ms"), null));
    }

    @Test
    void aHandshakeThatIsBrokenOffIsAConnectionError() {
        var rude = bed.serve(socket -> socket.handler(_ -> socket.close()));
        assertRefused(bed.dispatch(get(tls(rude))), "failed: the connection was closed");
    }

    private static URI tls(URI uri) {
        return URI.create(uri.toString().replace("http:", "https:"));
    }

    private static void assertRefused(Outcome outcome, String reason) {
        assertThat(outcome).isInstanceOfSatisfying(Outcome.RetryableFailure.class, it -> {
            assertThat(it.failure().type()).isEqualTo(Failure.Type.CONNECTION_ERROR);
            assertThat(it.failure().message()).startsWith("TLS with ").contains(reason);
        });
    }

    private static Outcome dispatch(String host, HttpClientOptions options) {
        return dispatch(host, port, options);
    }

    private static Outcome dispatch(String host, int at, HttpClientOptions options) {
        return bed.dispatcher(EgressConfig.Mode.OPEN, new HttpClientOptions(options))
                .dispatch(get(URI.create("https://" + host + ":" + at + "/")), DELIVERY)
                .await()
                .atMost(PATIENCE);
    }
}
