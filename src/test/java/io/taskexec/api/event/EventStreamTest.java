package io.taskexec.api.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.testing.TestDb;
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
import org.junit.jupiter.api.Test;

class EventStreamTest {
    /** Of events with 100,000 characters. */
    private static final int MORE_THAN_SOCKETS_TAKE = 200;

    private static final Duration BOUND = Duration.ofSeconds(20);

    @Test
    void whoTakesNothingIsCutOff() throws IOException {
        var opened = new CompletableFuture<EventStream>();
        var router = Router.router(TestDb.vertx());
        router.route("/events").handler(request -> {
            var stream = new EventStream(request.response(), null, _ -> true, 0);
            stream.begin("req_1");
            opened.complete(stream);
        });
        var other = TestDb.vertx()
                .createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        try (var stuck = new Socket(InetAddress.ofLiteral("127.0.0.1"), other.actualPort())) {
            stuck.getOutputStream()
                    .write("GET /events HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            var stream = opened.orTimeout(BOUND.toSeconds(), TimeUnit.SECONDS).join();
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

            stuck.setSoTimeout((int) BOUND.toMillis());
            assertThat(endsWithin(stuck)).isTrue();
        } finally {
            other.close().toCompletionStage().toCompletableFuture().join();
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
