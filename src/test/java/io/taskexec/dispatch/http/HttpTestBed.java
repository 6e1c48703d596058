package io.taskexec.dispatch.http;

import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.HttpSpec;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A dispatcher that may reach this machine, and servers of raw bytes for it to meet. */
public final class HttpTestBed implements AutoCloseable {
    public static final Delivery DELIVERY = new Delivery(
            UUID.fromString("0195a000-0000-7000-8000-000000000001"),
            UUID.fromString("0195a000-0000-7000-8000-000000000002"),
            3,
            Instant.parse("2026-03-01T12:00:00.250Z"),
            null,
            DeliveryExtras.NONE);

    /** How long a test waits for what must happen at once. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final long FLOOD = 100L * 1024 * 1024;

    /** Completes when the dispatcher closes a connection to one of the servers below. */
    final CompletableFuture<Void> closedByUs = new CompletableFuture<>();

    /** How many bytes of a flood have been sent. */
    final AtomicLong flooded = new AtomicLong();

    final Vertx vertx = Vertx.vertx();
    final HttpDispatcher dispatcher = dispatcher(EgressConfig.Mode.OPEN);

    HttpDispatcher dispatcher(EgressConfig.Mode mode) {
        return dispatcher(mode, new HttpClientOptions());
    }

    HttpDispatcher dispatcher(EgressConfig.Mode mode, HttpClientOptions options) {
        return dispatcher(new EgressGuard(new TestEgress(mode)), options);
    }

    HttpDispatcher dispatcher(EgressGuard guard, HttpClientOptions options) {
        return dispatcher(guard, options, TestHttp.DEFAULT);
    }

    HttpDispatcher dispatcher(EgressGuard guard, HttpClientOptions options, HttpConfig config) {
        var transport = HttpTransport.create(vertx, guard, config, options, TrustRoots.NONE);
        return new HttpDispatcher(transport, config.userAgent());
    }

    /** As in production, but for the mode. */
    HttpDispatcher dispatcher(HttpConfig config) {
        var guard = new EgressGuard(new TestEgress(EgressConfig.Mode.OPEN));
        return new HttpDispatcher(HttpTransport.create(vertx, guard, config), config.userAgent());
    }

    Outcome dispatch(HttpCall call) {
        return dispatcher.dispatch(call, DELIVERY).await().atMost(PATIENCE);
    }

    /** A server of raw bytes at a free port. */
    URI serve(Handler<NetSocket> handler) {
        NetServer server = vertx.createNetServer().connectHandler(handler);
        var port = server.listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
        return URI.create("http://127.0.0.1:" + port + "/");
    }

    void watch(NetSocket socket) {
        socket.closeHandler(_ -> closedByUs.complete(null));
    }

    void answer(NetSocket socket, String bytes) {
        watch(socket);
        socket.handler(_ -> {
            var _ = socket.write(bytes);
        });
    }

    /** Answers a request with {@code head}, and then with {@code bytes} again and again. */
    void drip(NetSocket socket, String head, long everyMs, String bytes) {
        socket.handler(_ -> {
            var _ = socket.write(head);
            var timer = vertx.setPeriodic(everyMs, _ -> writeIfRead(socket, bytes));
            socket.closeHandler(_ -> {
                var _ = vertx.cancelTimer(timer);
                closedByUs.complete(null);
            });
        });
    }

    /** Answers with {@code head}, and then with {@code piece} for a hundred megabytes, as fast as they are taken. */
    void flood(NetSocket socket, String head, String piece) {
        watch(socket);
        var bytes = Buffer.buffer(piece);
        socket.handler(_ -> {
            var _ = socket.write(head);
            pour(socket, bytes);
            var _ = socket.drainHandler(_ -> pour(socket, bytes));
        });
    }

    private void pour(NetSocket socket, Buffer piece) {
        while (!socket.writeQueueFull() && !closedByUs.isDone() && flooded.get() < FLOOD) {
            var _ = socket.write(piece);
            flooded.addAndGet(piece.length());
        }
    }

    private static void writeIfRead(NetSocket socket, String bytes) {
        if (!socket.writeQueueFull()) {
            var _ = socket.write(bytes);
        }
    }

    static HttpCall get(URI uri) {
        return call("GET", uri, Map.of(), null);
    }

    static HttpCall call(String method, URI uri, Map<String, String> headers, @Nullable String body) {
        return new HttpCall(uri, method, headers, body, PATIENCE, HttpSpec.DEFAULT_EXPECTED);
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
