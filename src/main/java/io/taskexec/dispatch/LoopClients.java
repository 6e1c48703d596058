package io.taskexec.dispatch;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A client for each event loop that makes calls: one that all shared would hand most calls to another loop and back. */
final class LoopClients {
    private static final int CONNECTIONS_PER_TARGET = 256;
    private static final int WAITING_PER_TARGET = 1_000;

    private final Vertx vertx;
    private final HttpClientOptions options;
    private final HttpClient elsewhere;
    private final Map<Thread, HttpClient> clients = new ConcurrentHashMap<>();

    LoopClients(Vertx vertx, HttpClientOptions options) {
        this.vertx = vertx;
        this.options = options;
        this.elsewhere = create();
    }

    /** The client for calls of this thread. */
    HttpClient here() {
        return Context.isOnEventLoopThread()
                ? clients.computeIfAbsent(Thread.currentThread(), _ -> create())
                : elsewhere;
    }

    private HttpClient create() {
        var loops = Runtime.getRuntime().availableProcessors();
        return vertx.createHttpClient(
                options,
                new PoolOptions()
                        .setHttp1MaxSize(Math.max(1, CONNECTIONS_PER_TARGET / loops))
                        .setMaxWaitQueueSize(WAITING_PER_TARGET));
    }
}
