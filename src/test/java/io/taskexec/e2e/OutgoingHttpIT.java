package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.ForwardProxy;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.TestCertificates;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A receiver behind a proxy, with a certificate of an authority of its own, that wants to know who calls. */
class OutgoingHttpIT {
    private static final Vertx vertx = Vertx.vertx();
    private static final ForwardProxy proxy = new ForwardProxy("me:pa ss");
    private static final Receiver tokens = new Receiver();

    private static Program program;
    private static Api api;
    private static int port;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException, InterruptedException {
        tokens.answer(Answer.of(200, "{\"access_token\": \"abcdefgh\", \"expires_in\": 60}"));
        var options = new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(true)
                .setClientAuth(ClientAuth.REQUEST)
                .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(TestCertificates.authority())))
                .setKeyCertOptions(TestCertificates.identity(TestCertificates.LOCALHOST));
        port = vertx.createHttpServer(options)
                .requestHandler(request -> request.response().end(seen(request)))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
        var url = Files.writeString(directory.resolve("proxy"), "http://me:pa%20ss@127.0.0.1:" + proxy.port() + "\n");
        program = Program.serving(ServerDb.fresh(OutgoingHttpIT.class))
                .with("TE_HTTP_PROXY_FILE", url.toString())
                .with("TE_HTTP_CA_FILE", TestCertificates.authorityFile().toString())
                .startReady();
        api = program.api();
    }

    private static String seen(HttpServerRequest request) {
        String caller;
        try {
            var certificate =
                    (X509Certificate) request.connection().sslSession().getPeerCertificates()[0];
            caller = certificate.getSubjectX500Principal().getName();
        } catch (IOException _) {
            caller = "nobody";
        }
        return request.version() + " from " + caller + " with " + request.getHeader("Authorization");
    }

    @AfterAll
    static void stop() {
        program.close();
        tokens.close();
        proxy.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static String answer(String endpoint) throws InterruptedException {
        var ended = api.ended(api.immediate(endpoint, "only"));
        assertThat(ended.getString("status")).as(ended.prettify()).isEqualTo("SUCCESS");
        return ended.getString("output.body");
    }

    @Test
    void allOfItTogetherWorksAndTheTokenIsKeptNowhere() throws InterruptedException {
        api.secret("caller_key", TestCertificates.key(TestCertificates.CLIENT));
        api.secret("client_secret", "s3cr:et");
        api.config("caller", Map.of("certificate", TestCertificates.certificates(TestCertificates.CLIENT)));
        var url = "https://localhost:" + port + "/";
        var spec = Map.of(
                "url",
                url,
                "method",
                "GET",
                "tls",
                Map.of("client_certificate", "{{config.certificate}}", "client_key", "{{secret.caller_key}}"),
                "oauth2",
                Map.of(
                        "token_url",
                        tokens.uri("/token").toString(),
                        "client_id",
                        "me",
                        "client_secret",
                        "{{secret.client_secret}}"));
        var created = api.create("/endpoints", Map.of("name", "all", "type", "HTTP", "config", "caller", "spec", spec));
        assertThat(created.getString("spec.oauth2.auth")).isEqualTo("basic");
        assertThat(created.getString("spec.tls.client_key")).isEqualTo("{{secret.caller_key}}");

        assertThat(answer("all")).isEqualTo("HTTP_2 from CN=caller with Bearer [redacted]");

        assertThat(proxy.requests()).contains("CONNECT localhost:" + port, "POST " + tokens.uri("/token"));
        assertThat(tokens.requests()).hasSize(1);
        var _ = api.create(
                "/endpoints", Map.of("name", "plain", "type", "HTTP", "spec", Map.of("url", url, "method", "GET")));
        assertThat(answer("plain")).isEqualTo("HTTP_2 from nobody with null");
        assertThat(program.output()).doesNotContain("abcdefgh").doesNotContain("s3cr:et");
    }

    @Test
    void aTokenServerThatMayNotBeCalledIsRefusedAtRegistration() {
        var oauth2 = Map.of("token_url", "http://169.254.169.254/token", "client_id", "me", "client_secret", "s");
        var spec = Map.of("url", "https://localhost:" + port + "/", "method", "GET", "oauth2", oauth2);

        var refused = api.post("/endpoints", Map.of("name", "metadata", "type", "HTTP", "spec", spec));

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.jsonPath().<List<String>>get("error.details.pointer"))
                .isEqualTo(List.of("/spec/oauth2/token_url"));
    }
}
