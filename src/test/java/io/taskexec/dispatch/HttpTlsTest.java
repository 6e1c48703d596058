package io.taskexec.dispatch;

import static io.taskexec.dispatch.HttpTestBed.DELIVERY;
import static io.taskexec.dispatch.HttpTestBed.PATIENCE;
import static io.taskexec.dispatch.HttpTestBed.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Failure;
import io.taskexec.model.Outcome;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A receiver whose certificate is for localhost, and for nothing else. */
class HttpTlsTest {
    private static final String PASSWORD = "changeit";

    private static HttpTestBed bed;
    private static PfxOptions certificate;
    private static int port;

    @BeforeAll
    static void open(@TempDir Path directory) throws IOException, InterruptedException {
        bed = new HttpTestBed();
        certificate =
                new PfxOptions().setPath(newCertificate(directory).toString()).setPassword(PASSWORD);
        port = bed.vertx
                .createHttpServer(new HttpServerOptions().setSsl(true).setKeyCertOptions(certificate))
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
        assertThat(dispatch("localhost", new HttpClientOptions().setTrustOptions(certificate)))
                .isInstanceOf(Outcome.Succeeded.class);
    }

    @Test
    void aTrustedCertificateForAnotherNameIsNot() {
        assertRefused(dispatch("127.0.0.1", new HttpClientOptions().setTrustOptions(certificate)));
    }

    @Test
    void aCertificateThatNobodyVouchesForIsNot() {
        assertRefused(dispatch("localhost", new HttpClientOptions()));
    }

    private static void assertRefused(Outcome outcome) {
        assertThat(outcome).isInstanceOfSatisfying(Outcome.FailedForNow.class, it -> {
            assertThat(it.failure().type()).isEqualTo(Failure.Type.CONNECTION_ERROR);
            assertThat(it.failure().message()).startsWith("TLS with ");
        });
    }

    private static Outcome dispatch(String host, HttpClientOptions options) {
        return bed.dispatcher(EgressConfig.Mode.OPEN, options)
                .dispatch(get(URI.create("https://" + host + ":" + port + "/")), DELIVERY)
                .await()
                .atMost(PATIENCE);
    }

    private static Path newCertificate(Path directory) throws IOException, InterruptedException {
        var store = directory.resolve("localhost.p12");
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        var made = new ProcessBuilder(
                        keytool.toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "localhost",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start()
                .waitFor();
        assertThat(made).isZero();
        return store;
    }
}
