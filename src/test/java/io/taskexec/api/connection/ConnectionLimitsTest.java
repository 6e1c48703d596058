package io.taskexec.api.connection;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Eventually;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.impl.VertxBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With sockets that send what they like, against a server as Quarkus has it. */
class ConnectionLimitsTest {
    private static final int TIMEOUT_SEC = 1;

    /** More than the time in which a request must come. */
    private static final Duration LONGER = Duration.ofMillis(2500);

    private static final Duration BOUND = Duration.ofSeconds(20);

    private final List<Socket> sockets = new ArrayList<>();
    private Vertx vertx = Vertx.vertx();
    private int port;

    private record Limits(int maxConnections, int maxConnectionsPerAddress) implements ConnectionConfig {
        @Override
        public int requestTimeoutSec() {
            return TIMEOUT_SEC;
        }

        @Override
        public int idleTimeoutSec() {
            return 60;
        }
    }

    private void serve(int most, int mostPerAddress, boolean http2) {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        var builder = new VertxBuilder(new VertxOptions().setEventLoopPoolSize(2)).init();
        ConnectionLimits.apply(builder, new Limits(most, mostPerAddress));
        vertx = builder.vertx();
        port = listen(new HttpServerOptions().setHttp2ClearTextEnabled(http2)).actualPort();
    }

    private HttpServer listen(HttpServerOptions options) {
        return vertx.createHttpServer(options)
                .requestHandler(this::answer)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    /** Reads the body and answers: at once, late, or with a part now and a part late. */
    private void answer(HttpServerRequest request) {
        var response = request.response();
        var _ = request.body().onSuccess(_ -> {
            switch (requireNonNull(request.path())) {
                case "/late" -> vertx.setTimer(LONGER.toMillis(), _ -> response.end("late"));
                case "/stream" -> {
                    var _ = response.setChunked(true).write("begin");
                    vertx.setTimer(LONGER.toMillis(), _ -> response.end("end"));
                }
                default -> {
                    var _ = response.end("quick");
                }
            }
        });
    }

    @AfterEach
    void stop() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private Socket connect() throws IOException {
        var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
        socket.setSoTimeout((int) BOUND.toMillis());
        sockets.add(socket);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n";
    }

    /** Reads until this has come. */
    private static void read(Socket socket, String end) throws IOException {
        var text = new StringBuilder();
        while (text.indexOf(end) < 0) {
            var c = socket.getInputStream().read();
            assertThat(c).as("the end of the connection after " + text).isNotNegative();
            text.append((char) c);
        }
    }

    /** Sends a byte every now and then for as long as the server takes it; gives whether it came to an end. */
    private static boolean isCutWhileDripping(Socket socket) throws IOException {
        return isCutWhileSending(socket, "x");
    }

    private static boolean isCutWhileSending(Socket socket, String drop) throws IOException {
        socket.setSoTimeout(100);
        var end = System.nanoTime() + BOUND.toNanos();
        while (System.nanoTime() < end) {
            try {
                send(socket, drop);
                while (socket.getInputStream().read() >= 0) {
                    // Answers do not matter.
                }
                return true;
            } catch (SocketTimeoutException _) {
                // It still waits for more.
            } catch (IOException _) {
                return true;
            }
        }
        return false;
    }

    private static boolean isClosed(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (IOException _) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHeadThatComesByteByByteIsCutOff(boolean http2) throws IOException {
        serve(10, 0, http2);
        var socket = connect();
        send(socket, "GET / HTTP/1.1\r\nX-Slow: ");

        assertThat(isCutWhileDripping(socket)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBodyThatComesByteByByteIsCutOff(boolean http2) throws IOException {
        serve(10, 0, http2);
        var socket = connect();
        send(socket, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 100000\r\n\r\n");

        assertThat(isCutWhileDripping(socket)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientThatSaysNothingIsCutOff(boolean http2) throws IOException {
        serve(10, 0, http2);

        assertThat(isClosed(connect())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSecondRequestOfAConnectionHasADeadlineToo(boolean http2) throws IOException {
        serve(10, 0, http2);
        var socket = connect();
        send(socket, get("/"));
        read(socket, "quick");
        send(socket, "GET / HTTP/1.1\r\n");

        assertThat(isCutWhileDripping(socket)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTimeOfTheServerAndThatBetweenRequestsDoNotCount(boolean http2) throws IOException {
        serve(10, 0, http2);
        // A connection has little time for its first request.
        var idle = connect();
        send(idle, get("/"));
        read(idle, "quick");
        var working = connect();
        send(working, get("/late"));
        var following = connect();
        send(following, get("/stream"));

        read(working, "late");
        read(following, "end");
        send(idle, get("/"));
        read(idle, "quick");
        send(working, get("/"));
        read(working, "quick");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterimAnswerIsNone(boolean http2) throws IOException {
        serve(10, 0, http2);
        var socket = connect();
        send(socket, "POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}");
        read(socket, "quick");
        send(socket, get("/late"));
        read(socket, "late");
        send(socket, "GET / HTTP/1.1\r\n");

        assertThat(isCutWhileDripping(socket)).isTrue();
    }

    /** As the client of the JDK does it. */
    @Test
    void aRequestWhoseBodyComesAfterItsHeadMayBecomeOneOfHttp2() throws IOException {
        serve(10, 0, true);
        var socket = connect();
        send(socket, """
                POST / HTTP/1.1\r
                Host: test\r
                Content-Length: 2\r
                Connection: Upgrade, HTTP2-Settings\r
                Upgrade: h2c\r
                HTTP2-Settings: AAEAAEAA\r
                \r
                """);
        read(socket, "101 Switching Protocols");
        send(socket, "{}");

        read(socket, "quick");
    }

    @Test
    void aClientOfHttp2ThatOnlySendsPingsIsCutOff() throws IOException {
        serve(10, 0, true);
        var socket = connect();
        send(socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        send(socket, "\0\0\0\4\0\0\0\0\0");

        assertThat(isCutWhileSending(socket, "\0\0\10\6\0\0\0\0\0" + "12345678"))
                .isTrue();
    }

    @Test
    void oneConnectionTooManyIsClosedAndAnotherOneIsServedWhenOneHasGone() throws Exception {
        serve(2, 0, false);
        var first = connect();
        send(first, get("/stream"));
        read(first, "begin");
        var second = connect();
        send(second, get("/stream"));
        read(second, "begin");

        assertThat(isClosed(connect())).isTrue();

        first.close();
        Eventually.await("a place", BOUND, this::isServed);
    }

    private boolean isServed() {
        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
            socket.setSoTimeout((int) BOUND.toMillis());
            send(socket, get("/"));
            return socket.getInputStream().read() == 'H';
        } catch (IOException _) {
            return false;
        }
    }

    @Test
    void ofTenConnectionsOfOneAddressAtOnceAsManyAsItMayHaveAreServed() throws InterruptedException {
        serve(100, 3, false);
        var served = new ConcurrentLinkedQueue<Boolean>();
        var open = new ConcurrentLinkedQueue<Socket>();
        var clients = IntStream.range(0, 10)
                .mapToObj(_ -> Thread.ofVirtual().start(() -> {
                    try {
                        var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
                        open.add(socket);
                        socket.setSoTimeout((int) BOUND.toMillis());
                        send(socket, get("/stream"));
                        served.add(socket.getInputStream().read() == 'H');
                    } catch (IOException _) {
                        served.add(false);
                    }
                }))
                .toList();
        for (var client : clients) {
            client.join();
        }
        sockets.addAll(open);

        assertThat(served).hasSize(10).filteredOn(one -> one).hasSize(3);
    }
}
