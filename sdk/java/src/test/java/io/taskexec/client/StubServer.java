package io.taskexec.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** A server that answers as a test says, and remembers what it was asked. */
public final class StubServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final Function<Call, Reply> answers;

    /** A request. */
    public record Call(
            String method, String path, String query, Map<String, List<String>> headers, JsonNode body, long at) {
        public String target() {
            return method + " " + path + (query.isEmpty() ? "" : "?" + query);
        }

        public String header(String name) {
            return String.join(",", headers.getOrDefault(name, List.of()));
        }
    }

    /** An answer. */
    public record Reply(int status, String body, Map<String, String> headers) {
        public static Reply of(int status, String body) {
            return new Reply(status, body, Map.of());
        }

        public static Reply error(int status, String code) {
            return of(
                    status,
                    "{\"error\":{\"code\":\"%s\",\"message\":\"Because.\",\"request_id\":\"req_1\"}}".formatted(code));
        }
    }

    public StubServer(Function<Call, Reply> answers) {
        this.answers = answers;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var uri = exchange.getRequestURI();
            var content = exchange.getRequestBody().readAllBytes();
            var call = new Call(
                    exchange.getRequestMethod(),
                    uri.getRawPath(),
                    uri.getRawQuery() == null ? "" : uri.getRawQuery(),
                    Map.copyOf(exchange.getRequestHeaders()),
                    Json.API.readTree(content),
                    System.nanoTime());
            calls.add(call);
            var reply = answers.apply(call);
            var body = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("X-Request-Id", "req_1");
            reply.headers().forEach(exchange.getResponseHeaders()::add);
            exchange.sendResponseHeaders(reply.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public Taskexec client() {
        return Taskexec.builder()
                .servers(url())
                .key("secret")
                .patience(Duration.ofSeconds(5))
                .build();
    }

    public List<Call> calls() {
        return List.copyOf(calls);
    }

    public List<Call> calls(String target) {
        return calls.stream().filter(call -> call.target().equals(target)).toList();
    }

    public Call last() {
        return calls.get(calls.size() - 1);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
