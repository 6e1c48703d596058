package io.taskexec.testing;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A real HTTP proxy on a free port of 127.0.0.1, for which every name is a name of this machine. */
public final class ForwardProxy implements AutoCloseable {
    private static final String LOCAL = "127.0.0.1";

    private final Vertx vertx = Vertx.vertx(
            new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1).setInternalBlockingPoolSize(1));
    private final HttpClient client = vertx.createHttpClient();
    private final NetClient tunnels = vertx.createNetClient();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<List<String>> credentials = new CopyOnWriteArrayList<>();
    private final AtomicBoolean dropNext = new AtomicBoolean();
    private final @Nullable String demanded;
    private final HttpServer server;

    /** One that everybody may use. */
    public ForwardProxy() {
        this(null);
    }

    /** @param userAndPassword what it demands, with a colon in between; null for nothing */
    public ForwardProxy(@Nullable String userAndPassword) {
        demanded = userAndPassword == null
                ? null
                : "Basic " + Base64.getEncoder().encodeToString(userAndPassword.getBytes(StandardCharsets.UTF_8));
        server = vertx.createHttpServer()
                .requestHandler(this::receive)
                .listen(0, LOCAL)
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    /** The port it listens at. */
    public int port() {
        return server.actualPort();
    }

    /** The method and the target of all that it was asked for, in order. */
    public List<String> requests() {
        return requests;
    }

    /** The credentials that came with each of them. */
    public List<List<String>> credentials() {
        return credentials;
    }

    /** Closes the connection of the next request in place of an answer. */
    public void dropNext() {
        dropNext.set(true);
    }

    private void receive(HttpServerRequest request) {
        requests.add(request.method() + " " + request.uri());
        credentials.add(request.headers().getAll("Proxy-Authorization"));
        if (dropNext.getAndSet(false)) {
            var _ = request.connection().close();
        } else if (demanded != null && !demanded.equals(request.getHeader("Proxy-Authorization"))) {
            var _ = request.response().setStatusCode(407).end();
        } else if (request.method().equals(HttpMethod.CONNECT)) {
            tunnel(request);
        } else {
            forward(request);
        }
    }

    private void tunnel(HttpServerRequest request) {
        var port = Integer.parseInt(request.uri().substring(request.uri().lastIndexOf(':') + 1));
        var _ = request.pause();
        tunnels.connect(port, LOCAL)
                .onSuccess(target -> request.toNetSocket().onSuccess(caller -> join(caller, target)))
                .onFailure(_ -> request.response().setStatusCode(502).end());
    }

    private static void join(NetSocket caller, NetSocket target) {
        var _ = caller.pipeTo(target);
        var _ = target.pipeTo(caller);
    }

    private void forward(HttpServerRequest request) {
        var options = new RequestOptions().setMethod(request.method()).setAbsoluteURI(request.absoluteURI());
        options.setServer(SocketAddress.inetSocketAddress(options.getPort(), LOCAL));
        var headers = request.headers().remove("Proxy-Authorization");
        request.body()
                .compose(body -> client.request(options).compose(sent -> {
                    sent.headers().setAll(headers);
                    return sent.send(body);
                }))
                .compose(answer -> answer.body().map(body -> {
                    request.response().headers().setAll(answer.headers());
                    return request.response().setStatusCode(answer.statusCode()).end(body);
                }))
                .onFailure(_ -> request.response().setStatusCode(502).end());
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
