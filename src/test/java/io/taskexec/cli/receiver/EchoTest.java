package io.taskexec.cli.receiver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.secret.SigningKey;
import io.taskexec.secret.WebhookSigner;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class EchoTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @Test
    void aRequestIsShownWithItsInterestingHeadersAndItsBodyAsPrettyJson() throws Exception {
        try (var echo = RunningEcho.start("--port=0")) {
            var answer = send(HttpRequest.newBuilder(URI.create(echo.address() + "/emails/welcome?to=all"))
                    .header("Content-Type", "application/json")
                    .header("Authorization", "Bearer very-secret")
                    .header("Idempotency-Key", "exec_1")
                    .header("Taskexec-Attempt", "1")
                    .header("X-Other", "not shown")
                    .POST(BodyPublishers.ofString("{\"to\":\"ada@example.com\",\"price\":1.10}")));

            assertThat(answer).isEqualTo(200);
            assertThat(echo.stop()).isEqualTo("""
                    Listening on %s (Ctrl-C stops)
                    #1 POST /emails/welcome?to=all
                    Authorization: Bearer ***
                    Content-Type: application/json
                    Idempotency-Key: exec_1
                    Taskexec-Attempt: 1
                    {
                      "to" : "ada@example.com",
                      "price" : 1.10
                    }

                    1 request
                    """.formatted(echo.address()));
        }
    }

    @Test
    void whetherARequestIsSignedIsSaidWhenTheKeyIsKnown() throws Exception {
        var key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        var now = Instant.now().getEpochSecond();
        var body = "{\"long\":\"" + "x".repeat(100_000) + "\"}";
        var signature = new WebhookSigner(List.of(SigningKey.parse(key))).sign("exec_1", now, body.getBytes(UTF_8));
        try (var echo = RunningEcho.start("--port=0", "--secret=" + key)) {
            for (var sent : List.of(body, body + " ")) {
                var request = HttpRequest.newBuilder(URI.create(echo.address() + "/"))
                        .header("webhook-id", "exec_1")
                        .header("webhook-timestamp", Long.toString(now))
                        .header("webhook-signature", signature)
                        .POST(BodyPublishers.ofString(sent));
                assertThat(send(request)).isEqualTo(200);
            }
            assertThat(post(echo, "{}")).isEqualTo(200);

            assertThat(echo.stop())
                    .contains("Webhook-Id: exec_1\n")
                    .contains("#1 POST /\n", "The signature is valid.\n{\"long\"", "... (only the first 65536 bytes")
                    .contains("THE SIGNATURE IS NOT VALID. No signature fits")
                    .contains("#3 POST /\nNot signed.\n");
        }
    }

    @Test
    void aBodyThatIsNotJsonIsShownAsItIsButCannotCommandTheTerminal() throws Exception {
        try (var echo = RunningEcho.start("--port=0")) {
            assertThat(post(echo, "plain \u001b[31mred")).isEqualTo(200);

            assertThat(echo.stop()).contains("#1 POST /\nplain \\u001b[31mred\n\n");
        }
    }

    @Test
    void aLongBodyIsReadToItsEndAndShownUpToALimit() throws Exception {
        try (var echo = RunningEcho.start("--port=0")) {
            assertThat(post(echo, "x".repeat(1_000_000))).isEqualTo(200);

            assertThat(echo.stop())
                    .contains("x\n... (only the first 65536 bytes are shown)\n")
                    .hasSizeLessThan(66_000);
        }
    }

    @Test
    void theStatusAndTheDelayAreAnsweredAsAsked() throws Exception {
        try (var echo = RunningEcho.start("--port=0", "--status=503", "--delay-ms=150")) {
            var start = System.nanoTime();

            assertThat(post(echo, "{}")).isEqualTo(503);

            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(150_000_000L);
        }
    }

    @Test
    void aQuietOneOnlyCounts() throws Exception {
        try (var echo = RunningEcho.start("--port=0", "--quiet")) {
            assertThat(List.of(post(echo, "{}"), post(echo, "{}"))).containsOnly(200);

            assertThat(echo.stop()).isEqualTo("Listening on " + echo.address() + " (Ctrl-C stops)\n2 requests\n");
        }
    }

    @Test
    void aPortThatIsTakenIsSaidInOneSentence() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            var err = new StringWriter();

            var code = new CommandLine(new Echo())
                    .setErr(new PrintWriter(err, true))
                    .execute("--port=" + taken.getLocalPort());

            assertThat(code).isEqualTo(2);
            assertThat(err.toString().lines())
                    .containsExactly(
                            "Cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": Address already in use.");
        }
    }

    @Test
    void aHostThatIsNotKnownIsSaidInOneSentence() {
        var err = new StringWriter();

        var code =
                new CommandLine(new Echo()).setErr(new PrintWriter(err, true)).execute("--host=no-such-name.invalid");

        assertThat(code).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly("Cannot listen on no-such-name.invalid:9999: Unresolved address.");
    }

    @Test
    void aValueOutOfRangeIsRefused() {
        var err = new StringWriter();

        var code =
                new CommandLine(new Echo()).setErr(new PrintWriter(err, true)).execute("--status=1000");

        assertThat(code).isEqualTo(2);
        assertThat(err.toString()).startsWith("--status must be between 200 and 599, not 1000.");
    }

    private static int post(RunningEcho echo, String body) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(echo.address() + "/")).POST(BodyPublishers.ofString(body)));
    }

    private static int send(HttpRequest.Builder request) throws Exception {
        return CLIENT.send(request.build(), BodyHandlers.discarding()).statusCode();
    }
}
