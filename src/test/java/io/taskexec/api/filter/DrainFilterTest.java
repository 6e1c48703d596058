package io.taskexec.api.filter;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.taskexec.api.web.PreRoutingErrors;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DrainFilterTest {
    private static final int BOUND_SECONDS = 10;

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client = HttpClient.newHttpClient();
    private final DrainFilter intake = new DrainFilter(new PreRoutingErrors(new ObjectMapper()));
    private final CompletableFuture<RoutingContext> held = new CompletableFuture<>();
    private HttpServer server;

    @BeforeEach
    void serve() throws Exception {
        var filters = new Filters();
        intake.register(filters);
        var router = Router.router(vertx);
        filters.getFilters().forEach(filter -> router.route().handler(filter.getHandler()));
        router.route(HttpMethod.GET, "/held").handler(held::complete);
        router.route().handler(context -> context.end("done"));
        server = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(BOUND_SECONDS, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() throws Exception {
        client.shutdownNow();
        vertx.close().toCompletionStage().toCompletableFuture().get(BOUND_SECONDS, TimeUnit.SECONDS);
    }

    private CompletableFuture<HttpResponse<String>> get(String path) {
        var uri = URI.create("http://127.0.0.1:" + server.actualPort() + path);
        var request =
                HttpRequest.newBuilder(uri).version(HttpClient.Version.HTTP_1_1).build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(BOUND_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void whatComesAfterItIsClosedIsTurnedAway() throws Exception {
        assertThat(await(get("/")).statusCode()).isEqualTo(200);

        assertThat(await(intake.close().subscribeAsCompletionStage())).isNull();

        var refused = await(get("/"));
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).contains("1");
        assertThat(refused.body()).contains("\"code\":\"UNAVAILABLE\"");
    }

    @Test
    void itIsClosedWhenWhatWasLetInHasItsAnswer() throws Exception {
        var first = get("/held");
        var context = await(held);

        var closed = intake.close().subscribeAsCompletionStage();
        assertThat(await(get("/")).statusCode()).isEqualTo(503);
        assertThat(closed).isNotDone();
        context.end("late");

        assertThat(await(first).body()).isEqualTo("late");
        assertThat(await(closed)).isNull();
    }
}
