package io.taskexec.dispatch.http;

import static io.taskexec.dispatch.http.HttpTestBed.DELIVERY;
import static io.taskexec.dispatch.http.HttpTestBed.PATIENCE;
import static io.taskexec.dispatch.http.HttpTestBed.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.HttpAccess;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.TlsIdentity;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.TestCertificates;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Map;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls a receiver whose certificate is of an authority of its own and that asks for a client certificate. */
class TlsIdentityTest {
    private static final String CERTIFICATE = TestCertificates.certificates(TestCertificates.CLIENT);
    private static final String KEY = TestCertificates.key(TestCertificates.CLIENT);
    private static final String AUTHORITY = TestCertificates.authority();
    private static final TlsIdentity IDENTITY = new TlsIdentity(CERTIFICATE, KEY, AUTHORITY);

    private static HttpTestBed bed;
    private static URI uri;

    @BeforeAll
    static void open() {
        bed = new HttpTestBed();
        var options = new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(true)
                .setClientAuth(ClientAuth.REQUIRED)
                .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(AUTHORITY)))
                .setKeyCertOptions(TestCertificates.identity(TestCertificates.LOCALHOST));
        var port = bed.vertx
                .createHttpServer(options)
                .requestHandler(request -> request.response().end(caller(request.connection())))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
        uri = URI.create("https://localhost:" + port + "/");
    }

    private static String caller(HttpConnection connection) {
        try {
            return ((X509Certificate) connection.sslSession().getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        } catch (SSLPeerUnverifiedException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    private static Outcome dispatch(HttpDispatcher by, TlsIdentity identity) {
        var call = new HttpCall(
                uri, "GET", Map.of(), null, PATIENCE, HttpSpec.DEFAULT_EXPECTED, new HttpAccess(identity, null));
        return by.dispatch(call, DELIVERY).await().atMost(PATIENCE);
    }

    @Test
    void isShownAndTheAuthoritiesBesideItAreTrusted() {
        assertThat(dispatch(bed.dispatcher, IDENTITY))
                .isInstanceOfSatisfying(
                        Outcome.Succeeded.class,
                        it -> assertThat(it.output().path("body").asText()).isEqualTo("CN=caller"));
    }

    @Test
    void otherCallsOfTheSameProcessHaveNothingOfIt() {
        var trusting = bed.dispatcher(
                TestHttp.DEFAULT.trusting(TestCertificates.authorityFile().toString()));
        assertThat(dispatch(trusting, new TlsIdentity(CERTIFICATE, KEY, null))).isInstanceOf(Outcome.Succeeded.class);

        assertConnectionError(trusting.dispatch(get(uri), DELIVERY).await().atMost(PATIENCE));
        assertConnectionError(dispatch(bed.dispatcher, new TlsIdentity(CERTIFICATE, KEY, null)));
        assertConnectionError(dispatch(bed.dispatcher, new TlsIdentity(null, null, AUTHORITY)));
    }

    private static void assertConnectionError(Outcome outcome) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.RetryableFailure.class,
                        it -> assertThat(it.failure().type()).isEqualTo(Failure.Type.CONNECTION_ERROR));
    }

    @ParameterizedTest
    @CsvSource({"sesame, key, ca", "certificate, sesame, ca", "certificate, key, sesame"})
    void invalidPemIsAPermanentFailureAndIsNotRepeated(String certificate, String key, String authority) {
        var texts = Map.of("certificate", CERTIFICATE, "key", KEY, "ca", AUTHORITY, "sesame", "-----BEGIN sesame");
        var identity = new TlsIdentity(texts.get(certificate), texts.get(key), texts.get(authority));

        assertThat(dispatch(bed.dispatcher, identity)).isInstanceOfSatisfying(Outcome.PermanentFailure.class, it -> {
            assertThat(it.failure().type()).isEqualTo(Failure.Type.INVALID_CONFIGURATION);
            assertThat(it.failure().message()).startsWith("tls.").doesNotContain("sesame");
        });
    }

    private static TlsIdentity another(int number) {
        return new TlsIdentity(null, null, AUTHORITY + "another " + number);
    }

    private static TlsClients clients() {
        return new TlsClients(bed.vertx, new HttpClientOptions(), TrustRoots.NONE, 2);
    }

    private static Uni<Outcome> never() {
        return Uni.createFrom().nothing();
    }

    @Test
    void thereAreNoMoreThanMayBeInUse() throws InterruptedException {
        var clients = clients();
        var used = new HashSet<LoopClients>();
        var calls = new ArrayList<Cancellable>();
        for (var i = 0; i < TlsClients.MOST; i++) {
            calls.add(clients.with(another(i), each -> {
                        synchronized (used) {
                            used.add(each);
                        }
                        return never();
                    })
                    .subscribe()
                    .with(_ -> {}));
        }
        Eventually.await("all are in use", PATIENCE, () -> {
            synchronized (used) {
                return used.size() == TlsClients.MOST;
            }
        });

        assertThat(clients.with(another(-1), _ -> never()).await().atMost(PATIENCE))
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.CONNECTION_ERROR, "Too many TLS identities are in use"), null));
        assertThat(shown(clients, another(5))).isIn(used);

        calls.get(7).cancel();

        assertThat(shown(clients, another(-1))).isNotIn(used);
        assertThat(shown(clients, another(6))).isIn(used);
    }

    /** The clients that a call with {@code identity} is given. */
    private static LoopClients shown(TlsClients clients, TlsIdentity identity) {
        var given = new ArrayList<LoopClients>();
        var _ = clients.with(identity, each -> {
                    given.add(each);
                    return Uni.createFrom().item(new Outcome.Interrupted());
                })
                .await()
                .atMost(PATIENCE);
        return given.getFirst();
    }
}
