package io.taskexec.dispatch.http;

import static io.taskexec.dispatch.http.HttpTestBed.DELIVERY;
import static io.taskexec.dispatch.http.HttpTestBed.PATIENCE;
import static io.taskexec.dispatch.http.HttpTestBed.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.ForwardProxy;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.TestCertificates;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A real proxy between us and the receivers, for which any name is a name of this machine. */
class HttpProxyTest {
    private static HttpTestBed bed;
    private static Receiver receiver;
    private static int tlsPort;

    private ForwardProxy proxy;

    @BeforeAll
    static void open() {
        bed = new HttpTestBed();
        receiver = new Receiver();
        tlsPort = bed.vertx
                .createHttpServer(new HttpServerOptions()
                        .setSsl(true)
                        .setUseAlpn(true)
                        .setKeyCertOptions(TestCertificates.identity(TestCertificates.LOCALHOST)))
                .requestHandler(
                        request -> request.response().end(request.version().name()))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    @AfterAll
    static void close() {
        receiver.close();
        bed.close();
    }

    @BeforeEach
    void openProxy() {
        proxy = new ForwardProxy("user:pa ss");
        receiver.clear();
    }

    @AfterEach
    void closeProxy() {
        proxy.close();
    }

    private TestHttp config(String credentials, String... exclusions) {
        return TestHttp.DEFAULT
                .through("http://" + credentials + "127.0.0.1:" + proxy.port(), exclusions)
                .trusting(TestCertificates.authorityFile().toString());
    }

    private static Outcome dispatch(HttpDispatcher by, String uri) {
        return by.dispatch(get(URI.create(uri)), DELIVERY).await().atMost(PATIENCE);
    }

    private Outcome dispatch(String uri) {
        return dispatch(bed.dispatcher(config("user:pa%20ss@")), uri);
    }

    private static Failure failure(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.RetryableFailure.class);
        return ((Outcome.RetryableFailure) outcome).failure();
    }

    @Test
    void itLooksUpTheNamesOfPlainTargets() {
        var name = "receiver.invalid:" + receiver.port();

        assertThat(dispatch("http://" + name + "/a%20b?c=d")).isInstanceOf(Outcome.Succeeded.class);

        assertThat(proxy.requests()).containsExactly("GET http://" + name + "/a%20b?c=d");
        assertThat(receiver.requests().getFirst().path()).isEqualTo("/a%20b?c=d");
        assertThat(receiver.requests().getFirst().header("Host")).isEqualTo(name);
    }

    @Test
    void whatIsSentByTlsGoesThroughATunnelAndTheReceiverStillProvesItsName() {
        assertThat(dispatch("https://localhost:" + tlsPort + "/"))
                .isInstanceOfSatisfying(
                        Outcome.Succeeded.class,
                        it -> assertThat(it.output().path("body").asText()).isEqualTo("HTTP_2"));
        assertThat(proxy.requests()).containsExactly("CONNECT localhost:" + tlsPort);
        assertThat(failure(dispatch("https://other.invalid:" + tlsPort + "/")).message())
                .startsWith("TLS with other.invalid:");
    }

    @Test
    void withoutWhatItDemandsNothingGetsThrough() {
        for (var credentials : List.of("", "user:wrong@")) {
            var by = bed.dispatcher(config(credentials));
            assertThat(failure(dispatch(by, receiver.uri("/").toString())).message())
                    .isEqualTo("The proxy demands a user and a password, or others");
            assertThat(failure(dispatch(by, "https://localhost:" + tlsPort + "/"))
                            .message())
                    .isEqualTo("The proxy does not connect to localhost:" + tlsPort
                            + ": 407 Proxy Authentication Required");
        }
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void whatGoesOutOnceMoreHasItsCredentialsOnce() {
        // With one connection the second call waits for that of the first, which may not be back in the pool yet.
        var by = bed.dispatcher(config("user:pa%20ss@").with(1));
        assertThat(dispatch(by, receiver.uri("/").toString())).isInstanceOf(Outcome.Succeeded.class);
        proxy.dropNext();

        assertThat(dispatch(by, receiver.uri("/").toString())).isInstanceOf(Outcome.Succeeded.class);

        assertThat(proxy.credentials())
                .hasSize(3)
                .allSatisfy(each -> assertThat(each).hasSize(1));
    }

    @Test
    void someTargetsAreCalledDirectly() {
        var by = bed.dispatcher(config("user:pa%20ss@", "127.0.0.0/8"));

        assertThat(dispatch(by, receiver.uri("/").toString())).isInstanceOf(Outcome.Succeeded.class);

        assertThat(proxy.requests()).isEmpty();
    }

    @Test
    void whatTheGuardCanTellIsRefusedAllTheSame() {
        var guard = new EgressGuard(new TestEgress(EgressConfig.Mode.PRIVATE));
        var by = bed.dispatcher(guard, new HttpClientOptions(), config("user:pa%20ss@"));
        var refused = List.of(
                "127.0.0.1",
                "127.0.0.1.",
                "0x7f.1.",
                "localhost",
                "localhost.",
                "LOCALHOST",
                "app.localhost",
                "169.254.169.254",
                "169.254.169.254.",
                "metadata",
                "metadata.google.internal",
                "Metadata.Google.Internal.",
                "instance-data");
        for (var host : refused) {
            assertThat(dispatch(by, "http://" + host + ":" + receiver.port() + "/"))
                    .as(host)
                    .isInstanceOfSatisfying(
                            Outcome.PermanentFailure.class,
                            it -> assertThat(it.failure().type()).isEqualTo(Failure.Type.EGRESS_BLOCKED));
        }
        assertThat(proxy.requests()).isEmpty();
        // The address of the proxy itself is loopback too, but that is the operator's choice.
        assertThat(dispatch(by, "http://receiver.invalid:" + receiver.port() + "/"))
                .isInstanceOf(Outcome.Succeeded.class);
    }

    @Test
    void aProxyThatIsDownIsNotTakenForTheReceiver() throws IOException {
        var gone = TestHttp.DEFAULT.through("http://127.0.0.1:" + Program.freePort());
        for (var scheme : List.of("http", "https")) {
            assertThat(failure(dispatch(bed.dispatcher(gone), scheme + "://receiver.invalid:81/")))
                    .isEqualTo(new Failure(
                            Failure.Type.CONNECTION_ERROR,
                            "Cannot connect to the proxy for receiver.invalid:81: Connection refused"));
        }
    }
}
