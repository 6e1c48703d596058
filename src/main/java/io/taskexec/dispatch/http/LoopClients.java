package io.taskexec.dispatch.http;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.impl.VertxByteBufAllocator;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client for each event loop that makes calls: one that all shared would hand most calls to another loop and back.
 * Each has its share of the connections that may be open to one target; with fewer of those than loops, loops share
 * clients.
 */
final class LoopClients {
    private static final int WAITING_PER_TARGET = 1_000;

    private final Vertx vertx;
    private final HttpClientOptions options;
    private final int connectionsPerTarget;
    private final int most;
    private final AtomicInteger turn = new AtomicInteger();
    private final List<HttpClient> made = new ArrayList<>();
    private final Map<Thread, HttpClient> clients = new ConcurrentHashMap<>();

    LoopClients(Vertx vertx, HttpClientOptions options, int connectionsPerTarget) {
        this.vertx = vertx;
        this.options = options;
        this.connectionsPerTarget = connectionsPerTarget;
        this.most = Math.min(Runtime.getRuntime().availableProcessors(), connectionsPerTarget);
    }

    /** The client for calls of this thread. */
    HttpClient here() {
        return Context.isOnEventLoopThread()
                ? clients.computeIfAbsent(Thread.currentThread(), _ -> client(turn.getAndIncrement() % most))
                : client(0);
    }

    private synchronized HttpClient client(int index) {
        while (made.size() <= index) {
            made.add(create(made.size()));
        }
        return made.get(index);
    }

    private HttpClient create(int index) {
        var share = connectionsPerTarget / most + (index < connectionsPerTarget % most ? 1 : 0);
        return vertx.httpClientBuilder()
                .with(options)
                .with(new PoolOptions()
                        .setHttp1MaxSize(share)
                        // It has room for many calls; of several, all would be opened at once when it has no more.
                        .setHttp2MaxSize(1)
                        .setMaxWaitQueueSize(WAITING_PER_TARGET))
                .withConnectHandler(LoopClients::poolWrites)
                .build();
    }

    /** Otherwise the buffer of each request is new: with TLS, that is 16 KiB. */
    private static void poolWrites(HttpConnection connection) {
        if (connection instanceof ConnectionBase base) {
            base.channel().config().setAllocator(VertxByteBufAllocator.POOLED_ALLOCATOR);
        }
    }

    /** Closes all connections. */
    synchronized void close() {
        made.forEach(client -> {
            var _ = client.close();
        });
    }
}
