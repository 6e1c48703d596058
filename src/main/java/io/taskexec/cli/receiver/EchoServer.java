package io.taskexec.cli.receiver;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.taskexec.secret.WebhookVerifier;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Receives requests, passes each one on, and returns the same answer to all. */
final class EchoServer implements AutoCloseable {
    // A task executor sends bursts.
    private static final int BACKLOG = 1024;

    private final Reply answer;
    private final @Nullable WebhookVerifier verifier;
    private final Consumer<EchoRequest> receiver;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong count = new AtomicLong();
    private final CountDownLatch ended = new CountDownLatch(1);

    /** The answer, and its delay. */
    record Reply(int status, Duration delay) {}

    private EchoServer(
            HttpServer server, Reply answer, @Nullable WebhookVerifier verifier, Consumer<EchoRequest> receiver) {
        this.server = server;
        this.answer = answer;
        this.verifier = verifier;
        this.receiver = receiver;
    }

    /** @param verifier null when signatures are not checked */
    static EchoServer start(
            String host, int port, Reply answer, @Nullable WebhookVerifier verifier, Consumer<EchoRequest> receiver)
            throws IOException {
        var http = HttpServer.create(new InetSocketAddress(host, port), BACKLOG);
        var server = new EchoServer(http, answer, verifier, receiver);
        var _ = http.createContext("/", server::handle);
        http.setExecutor(server.threads);
        http.start();
        return server;
    }

    int port() {
        return server.getAddress().getPort();
    }

    /**
     * Returns when the thread is interrupted; Ctrl-C ends the process. Both call {@code onEnd} once, with the count.
     */
    void awaitEnd(LongConsumer onEnd) {
        var hook = Thread.ofPlatform().unstarted(() -> onEnd.accept(count.get()));
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            ended.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        if (removed(hook)) {
            onEnd.accept(count.get());
        }
    }

    private static boolean removed(Thread hook) {
        try {
            return Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // The process is ending, so the hook runs.
            return false;
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            receiver.accept(EchoRequest.read(count.incrementAndGet(), exchange, verifier));
            var _ = exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
            var _ = ended.await(answer.delay().toMillis(), TimeUnit.MILLISECONDS);
            exchange.sendResponseHeaders(answer.status(), -1);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ended.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
