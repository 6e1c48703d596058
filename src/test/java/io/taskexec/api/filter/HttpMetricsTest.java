package io.taskexec.api.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.testing.Eventually;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpMetricsTest {
    private static final Duration BOUND = Duration.ofSeconds(20);

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final CompletableFuture<RoutingContext> held = new CompletableFuture<>();
    private HttpServer server;

    @BeforeEach
    void serve() throws Exception {
        var meters = Meters.of(registry);
        var filters = new Filters();
        new HttpMetrics(() -> meters).register(filters);
        var router = Router.router(vertx);
        filters.getFilters().forEach(filter -> router.route().handler(filter.getHandler()));
        router.route("/held").handler(held::complete);
        router.route().handler(context -> context.response().setStatusCode(201).end("done"));
        server = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }

    private Socket send(String path) throws IOException {
        var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), server.actualPort());
        var request = "GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private boolean isCounted(String status) {
        var counter =
                registry.find("taskexec.http.requests").tag("status", status).counter();
        return counter != null && counter.count() == 1;
    }

    @Test
    void aRequestIsCountedWithTheStatusOfItsAnswer() throws Exception {
        try (var client = send("/")) {
            assertThat(client.getInputStream().read()).isEqualTo('H');
        }

        Eventually.await("the count", BOUND, () -> isCounted("201"));
    }

    @Test
    void oneWhoseClientGoesAwayBeforeTheAnswerIsCountedAsClosed() throws Exception {
        try (var _ = send("/held")) {
            held.get(BOUND.toSeconds(), TimeUnit.SECONDS);
        }

        Eventually.await("the count", BOUND, () -> isCounted("closed"));
        assertThat(registry.find("taskexec.http.requests").counters()).hasSize(1);
    }
}
