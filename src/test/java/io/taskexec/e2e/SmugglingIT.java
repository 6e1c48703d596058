package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Program;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests whose end a proxy in front could see elsewhere than the server does. The connection is closed, so that what
 * follows is never taken for a request of its own.
 */
@ServerTest(roles = "api")
class SmugglingIT {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String JSON = "{\"name\":\"x\"}";
    private static final String CHUNKED = "c\r\n" + JSON + "\r\n0\r\n\r\n";

    @Inject
    private static Program program;

    static Stream<Arguments> heads() {
        return Stream.of(
                ambiguous("both lengths", "Content-Length: 12\r\nTransfer-Encoding: chunked\r\n", CHUNKED),
                ambiguous("both lengths, other order", "Transfer-Encoding: chunked\r\nContent-Length: 12\r\n", CHUNKED),
                ambiguous("two lengths", "Content-Length: 12\r\nContent-Length: 13\r\n", JSON + "x"),
                ambiguous("the same length twice", "Content-Length: 12\r\nContent-Length: 12\r\n", JSON),
                ambiguous("a list of lengths", "Content-Length: 12, 12\r\n", JSON),
                ambiguous("a length with a sign", "Content-Length: +12\r\n", JSON),
                ambiguous("a hexadecimal length", "Content-Length: 0xc\r\n", JSON),
                ambiguous("a space before the colon", "Content-Length : 12\r\n", JSON),
                ambiguous("a space before the colon of chunks", "Transfer-Encoding : chunked\r\n", CHUNKED),
                ambiguous("a lone line feed", "Content-Length: 12\nX: y\r\n", JSON),
                ambiguous("a lone carriage return", "X: a\rContent-Length: 12\r\n", JSON),
                ambiguous("a folded line", "Transfer-Encoding:\r\n chunked\r\nContent-Length: 12\r\n", CHUNKED),
                ambiguous("an unknown encoding", "Transfer-Encoding: xchunked\r\n", CHUNKED),
                ambiguous("an encoding after the chunks", "Transfer-Encoding: chunked, identity\r\n", CHUNKED),
                ambiguous("chunks of chunks", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", CHUNKED),
                ambiguous("no encoding and a length", "Transfer-Encoding: identity\r\nContent-Length: 12\r\n", JSON),
                ambiguous("an encoding after a tab", "Transfer-Encoding: \u000bchunked\r\n", CHUNKED),
                ambiguous("a NUL", "X: a\0b\r\nContent-Length: 12\r\n", JSON));
    }

    private static Arguments ambiguous(String name, String headers, String body) {
        return Arguments.of(name, headers, body);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("heads")
    void aHeadThatCanBeReadInTwoWaysIsRefusedAndTheConnectionClosed(String name, String headers, String body)
            throws IOException {
        var answers = exchange(post("1.1", headers) + body + innocent());

        assertThat(statuses(answers)).as(name).containsExactly(400);
    }

    @Test
    void chunksInAnOlderVersionAreRefusedAndTheConnectionClosed() throws IOException {
        for (var headers : List.of("", "Content-Length: 12\r\n")) {
            var request = post("1.0", "Transfer-Encoding: chunked\r\n" + headers) + CHUNKED;

            assertThat(statuses(exchange(request + innocent()))).containsExactly(400);
        }
    }

    @Test
    void aLineFeedAloneEndsNoLineOfTheHead() throws IOException {
        var request = post("1.1", "Content-Length: 12\r\n").replace("\r\n", "\n") + JSON;

        assertThat(statuses(exchange(request + innocent()))).containsExactly(400);
    }

    @Test
    void controlCharactersBeforeARequestAreRefused() throws IOException {
        assertThat(statuses(exchange("\0\1" + innocent()))).containsExactly(400);
    }

    @ParameterizedTest
    @MethodSource("chunks")
    void aChunkThatCanBeReadInTwoWaysEndsTheConnection(String chunks) throws IOException {
        var answers = exchange(post("1.1", "Transfer-Encoding: chunked\r\n") + chunks + innocent());

        assertThat(statuses(answers)).isEmpty();
    }

    static Stream<String> chunks() {
        return Stream.of(
                "c;a\n" + JSON + "\r\n0\r\n\r\n",
                "c;a=\"\r\n" + JSON + "\r\n0\r\n\r\n",
                "c;a\rb\r\n" + JSON + "\r\n0\r\n\r\n",
                "c g\r\n" + JSON + "\r\n0\r\n\r\n",
                "0xc\r\n" + JSON + "\r\n0\r\n\r\n",
                "-c\r\n" + JSON + "\r\n0\r\n\r\n",
                "c\n" + JSON + "\n0\n\n",
                "b\r\n" + JSON + "\r\n0\r\n\r\n");
    }

    @Test
    void whatStandsInABodyIsNoRequest() throws IOException {
        var hidden = innocent();
        var length = hidden.length();

        var answers = exchange(post("1.1", "Content-Length: " + length + "\r\n") + hidden + innocent());

        assertThat(statuses(answers)).containsExactly(400, 200);
    }

    /** The last one, after which the server closes in any case. */
    private static String innocent() {
        return "GET /configs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + Program.API_KEY
                + "\r\nConnection: close\r\n\r\n";
    }

    private static String post(String version, String headers) {
        return "POST /payload-specs HTTP/" + version + "\r\nHost: a\r\nAuthorization: Bearer " + Program.API_KEY
                + "\r\nContent-Type: application/json\r\n" + headers + "\r\n";
    }

    /** All that is answered until the server closes; fails when it does not. */
    private static String exchange(String requests) throws IOException {
        try (var socket =
                new Socket(InetAddress.ofLiteral("127.0.0.1"), program.api().port())) {
            socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
            socket.getOutputStream().write(requests.getBytes(ISO_8859_1));
            var answers = new StringBuilder();
            try {
                for (var c = socket.getInputStream().read();
                        c >= 0;
                        c = socket.getInputStream().read()) {
                    answers.append((char) c);
                }
            } catch (SocketException _) {
                // A server that closes without having read everything may reset the connection.
            }
            return answers.toString();
        }
    }

    private static List<Integer> statuses(String answers) {
        return Stream.of(answers.split("HTTP/1\\.[01] ", -1))
                .skip(1)
                .map(answer -> Integer.parseInt(answer, 0, 3, 10))
                .toList();
    }
}
