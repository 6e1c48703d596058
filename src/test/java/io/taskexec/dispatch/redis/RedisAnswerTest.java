package io.taskexec.dispatch.redis;

import static io.taskexec.dispatch.redis.RedisTestBed.entry;
import static io.taskexec.dispatch.redis.RedisTestBed.messageId;
import static io.taskexec.dispatch.redis.RedisTestBed.retryable;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.taskexec.model.job.Failure;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that answer a script with what no script of ours returns. */
class RedisAnswerTest {
    private static RedisTestBed bed;

    @BeforeAll
    static void start() {
        bed = new RedisTestBed();
    }

    @AfterAll
    static void stop() {
        bed.close();
    }

    /** Writes the answer to a script. */
    @FunctionalInterface
    private interface Answer {
        void write(OutputStream client) throws IOException;
    }

    /** Answers any other command with OK. */
    private record Server(ServerSocket socket) implements AutoCloseable {
        static Server answering(Answer answer) throws IOException {
            var server = new Server(new ServerSocket(0, 10, InetAddress.getLoopbackAddress()));
            var _ = Thread.ofVirtual().start(() -> server.serve(answer));
            return server;
        }

        private void serve(Answer answer) {
            while (!socket.isClosed()) {
                try (var client = socket.accept()) {
                    var commands = new DataInputStream(client.getInputStream());
                    while (true) {
                        if (name(commands).startsWith("EVAL")) {
                            answer.write(client.getOutputStream());
                        } else {
                            client.getOutputStream().write("+OK\r\n".getBytes(US_ASCII));
                        }
                    }
                } catch (IOException _) {
                    // The client is gone, or the test is over.
                }
            }
        }

        /** Reads a command, an array of strings, and returns the first of them. */
        private static String name(DataInputStream commands) throws IOException {
            var parts = new String[length(commands)];
            for (var i = 0; i < parts.length; i++) {
                var part = new byte[length(commands)];
                commands.readFully(part);
                commands.skipNBytes(2);
                parts[i] = new String(part, US_ASCII);
            }
            return parts[0];
        }

        private static int length(DataInputStream commands) throws IOException {
            var digits = new StringBuilder();
            var _ = commands.readByte();
            for (var next = commands.readByte(); next != '\r'; next = commands.readByte()) {
                digits.append((char) next);
            }
            commands.skipNBytes(1);
            return Integer.parseInt(digits.toString());
        }

        String url() {
            return "redis://127.0.0.1:" + socket.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    @Test
    void theIdOfAnEntryIsTheOutput() throws IOException {
        var answer = bulk("1700000000000-7").getBytes(US_ASCII);
        try (var server = Server.answering(client -> client.write(answer))) {
            assertThat(messageId(bed.dispatch(entry(server.url(), "s")))).isEqualTo("1700000000000-7");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1700000000000", "1-2-3", "1700000000000-7 ", "a-b", "123456789012345678901-1"})
    void anythingElseIsAFailureThatDoesNotQuoteIt(String text) throws IOException {
        assertNoId(bulk(text));
    }

    @Test
    void neitherNothingNorALongTextIsAnId() throws IOException {
        assertNoId("$-1\r\n");
        assertNoId(bulk("1".repeat(100_000)));
    }

    private static void assertNoId(String answer) throws IOException {
        try (var server = Server.answering(client -> client.write(answer.getBytes(US_ASCII)))) {
            assertThat(retryable(bed.dispatch(entry(server.url(), "s"))))
                    .isEqualTo(new Failure(
                            Failure.Type.STREAM_ERROR,
                            "127.0.0.1:" + server.socket().getLocalPort()
                                    + " answered with something else than the id of an entry"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"+", "-", "$1048576\r\n", "$2000000000\r\n", "*2000000000\r\n"})
    void anAnswerWithoutEndIsNotReadToItsEnd(String head) throws IOException {
        var parts = (head.startsWith("*") ? bulk("x") : "x").repeat(10_000).getBytes(US_ASCII);
        try (var server = Server.answering(client -> {
            client.write(head.getBytes(US_ASCII));
            // Until the connection is closed.
            while (true) {
                client.write(parts);
            }
        })) {
            var failure = retryable(bed.dispatch(entry(server.url(), "s")));

            assertThat(failure.type()).isEqualTo(Failure.Type.CONNECTION_ERROR);
            assertThat(failure.message()).endsWith(" broke: the answer is longer than 524288 bytes");
        }
    }

    @Test
    void aMessageThatIsPushedClosesTheConnectionBeforeItsPartsAreCounted() throws IOException {
        for (var before : List.of("", bulk("1-1"), "+a>b\r\n")) {
            var answer = (before + ">2000000000\r\n").getBytes(US_ASCII);
            try (var server = Server.answering(client -> client.write(answer))) {
                var failure = retryable(bed.dispatch(entry(server.url(), "s")));

                assertThat(failure.type()).isEqualTo(Failure.Type.CONNECTION_ERROR);
                assertThat(failure.message()).endsWith(" broke: the server pushes messages");
            }
        }
    }

    @Test
    void whatNothingAskedForIsNotKept() {
        var buffer = Unpooled.buffer();

        buffer.writeZero(ShortAnswers.MOST_BYTES);
        new ShortAnswers().afterDecoding(buffer);
        assertThat(buffer.readableBytes()).isEqualTo(ShortAnswers.MOST_BYTES);

        buffer.writeZero(1);
        new ShortAnswers().afterDecoding(buffer);
        assertThat(buffer.readableBytes()).isZero();
    }
}
