package io.taskexec.cli.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On a connection of the client that is really used, whose other end says what the test wants and then nothing. */
class EventReaderTest {
    private static final Duration SILENCE = Duration.ofMillis(300);

    private final HttpClient http = HttpClient.newHttpClient();
    private final ServerSocket server;
    private Socket peer = new Socket();

    EventReaderTest() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"));
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        server.close();
        http.shutdownNow();
    }

    private InputStream stream(String text) throws Exception {
        var uri = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
        var answer = http.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofInputStream());
        peer = server.accept();
        say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + text);
        return answer.get().body();
    }

    private void say(String text) throws IOException {
        peer.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        peer.getOutputStream().flush();
    }

    @Test
    void aStreamThatGoesSilentIsNotWaitedForWithoutEnd() throws Exception {
        try (var reader = new EventReader(stream("id: 7\ndata: {}\n\n"), SILENCE)) {
            assertThat(reader.next()).extracting(EventReader.Event::position).isEqualTo(7L);

            assertThatThrownBy(reader::next).isInstanceOf(IOException.class).hasMessageContaining("nothing has come");
        }
    }

    @Test
    void aStreamThatWasClosedByItsReaderIsNotSilent() throws Exception {
        var reader = new EventReader(stream("id: 7\n\n"), Duration.ofMinutes(1));
        assertThat(reader.next()).isNotNull();
        reader.close();

        assertThatThrownBy(reader::next).isInstanceOf(IOException.class).hasMessageNotContaining("nothing has come");
    }
}
