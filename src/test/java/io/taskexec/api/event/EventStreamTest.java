package io.taskexec.api.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.testing.TestDb;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventStreamTest {
    /** Of events with 100,000 characters. */
    private static final int MORE_THAN_SOCKETS_TAKE = 200;

    private static final Duration BOUND = Duration.ofSeconds(20);

    private final CompletableFuture<EventStream> opened = new CompletableFuture<>();
    private final HttpServer server = serve();

    private HttpServer serve() {
        var router = Router.router(TestDb.vertx());
        router.route("/events").handler(request -> {
            var stream = new EventStream(request.response(), null, _ -> true, 0);
            stream.begin("req_1");
            opened.complete(stream);
        });
        return TestDb.vertx()
                .createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    @AfterEach
    void close() {
        server.close().toCompletionStage().toCompletableFuture().join();
    }

    private Socket connect() throws IOException {
        var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), server.actualPort());
        socket.setSoTimeout((int) BOUND.toMillis());
        socket.getOutputStream()
                .write("GET /events HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
                        .getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private EventStream stream() {
        return opened.orTimeout(BOUND.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Test
    void aStreamWithoutEventsIsKeptAliveEveryFifteenSecondsAndEndsAfterAnHour() throws IOException {
        try (var client = connect()) {
            var stream = stream();
            var begin = System.nanoTime();
            for (var age : List.of(
                    Duration.ofSeconds(14), Duration.ofSeconds(16), Duration.ofMinutes(59), Duration.ofMinutes(61))) {
                stream.tend(begin + age.toNanos());
            }

            var text = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(text.lines().filter(": still here"::equals))
                    .as("after 16 seconds and after 59 minutes")
                    .hasSize(2);
        }
    }

    @Test
    void whoTakesNothingIsCutOff() throws IOException {
        try (var stuck = connect()) {
            var stream = stream();
            var id = UUID.randomUUID();
            for (var position = 1L; position <= MORE_THAN_SOCKETS_TAKE; position++) {
                var event = new ExecutionEvent(
                        position,
                        ExecutionEvent.Kind.FAILED,
                        id,
                        id,
                        null,
                        1,
                        "x".repeat(100_000),
                        null,
                        Instant.now(),
                        null);
                stream.deliver(List.of(event));
            }

            stream.tend(System.nanoTime() + Duration.ofSeconds(20).toNanos());
            assertThat(stream.takes()).isFalse();
            stream.tend(System.nanoTime() + Duration.ofSeconds(31).toNanos());

            assertThat(endsWithin(stuck)).isTrue();
        }
    }

    private static boolean endsWithin(Socket socket) {
        var buffer = new byte[1 << 16];
        try {
            while (socket.getInputStream().read(buffer) >= 0) {
                // What was on its way.
            }
            return true;
        } catch (IOException e) {
            return !(e instanceof SocketTimeoutException);
        }
    }
}
