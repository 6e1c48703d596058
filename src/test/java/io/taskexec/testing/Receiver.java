package io.taskexec.testing;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * A real HTTP server on a free port of 127.0.0.1 that records what arrives and answers what it is told to; 200 with an
 * empty JSON object unless told otherwise. One event loop serves everything, so that it stays cheap.
 */
public final class Receiver implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx(
            new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1).setInternalBlockingPoolSize(1));
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final List<Received> requests = new ArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final HttpServer server;
    private volatile Function<Received, Answer> script = _ -> Answer.of(200, "{}");

    public Receiver() {
        server = vertx.createHttpServer()
                .connectionHandler(_ -> connections.incrementAndGet())
                .requestHandler(this::receive)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    /** From now on answers each request with what {@code answers} makes of it. It runs on the event loop. */
    public void answer(Function<Received, Answer> answers) {
        script = answers;
    }

    /** From now on gives every request the same answer. */
    public void answer(Answer same) {
        answer(_ -> same);
    }

    /** The address of {@code path}, which begins with a slash. */
    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    /** The port it listens at. */
    public int port() {
        return server.actualPort();
    }

    /** How many connections were opened to it. */
    public int connections() {
        return connections.get();
    }

    /** What has arrived so far, in order. */
    public List<Received> requests() {
        lock.lock();
        try {
            return List.copyOf(requests);
        } finally {
            lock.unlock();
        }
    }

    /** Forgets what has arrived. */
    public void clear() {
        lock.lock();
        try {
            requests.clear();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until {@code count} requests have arrived, and answers with all that have by then.
     *
     * @throws AssertionError when that takes longer than {@code bound}
     */
    public List<Received> awaitCount(int count, Duration bound) throws InterruptedException {
        lock.lock();
        try {
            var left = bound.toNanos();
            while (requests.size() < count) {
                if (left <= 0) {
                    throw new AssertionError(
                            "Of " + count + " requests only " + requests.size() + " came within " + bound);
                }
                left = arrived.awaitNanos(left);
            }
            return List.copyOf(requests);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private void receive(HttpServerRequest request) {
        var at = Instant.now();
        request.body().onSuccess(body -> respond(request.response(), record(request, body, at)));
    }

    private Received record(HttpServerRequest request, Buffer body, Instant at) {
        var headers = new HashMap<String, String>();
        request.headers().forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
        var received = new Received(request.method().name(), request.uri(), headers, body.toString(), body, at);
        lock.lock();
        try {
            requests.add(received);
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        return received;
    }

    private void respond(HttpServerResponse response, Received request) {
        var answer = script.apply(request);
        answer.release().thenRun(() -> vertx.runOnContext(_ -> send(response, answer)));
    }

    private static void send(HttpServerResponse response, Answer answer) {
        if (!response.closed()) {
            answer.headers().forEach(response::putHeader);
            answer.trailers().forEach(response::putTrailer);
            response.setStatusCode(answer.status()).end(answer.body());
        }
    }
}
