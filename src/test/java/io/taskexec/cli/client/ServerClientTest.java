package io.taskexec.cli.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.testing.Rows;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ServerClientTest {
    @Test
    @Timeout(60)
    void anAnswerThatStandsStillEndsInTime() throws IOException {
        try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var client = new ServerClient(URI.create("http://127.0.0.1:" + server.getLocalPort()), "token")) {
            var _ = Thread.ofVirtual().start(() -> beginAnswer(server));

            assertThatThrownBy(() -> client.post("/jobs", Rows.json("{}"), Duration.ofMillis(500)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the request timed out");
        }
    }

    /** Begins an answer, and does not go on. */
    private static void beginAnswer(ServerSocket server) {
        try (var socket = server.accept()) {
            var beginning = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{".getBytes(StandardCharsets.US_ASCII);
            socket.getOutputStream().write(beginning);
            var _ = socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException _) {
            // The client has closed its connection.
        }
    }
}
