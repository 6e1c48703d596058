package io.taskexec.examples.cloudillo.federation;

import com.sun.net.httpserver.HttpServer;
import io.taskexec.client.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** An instance, {@code bob.example}, that answers as it is told. */
public final class OtherInstance implements AutoCloseable {
    public static final String IDENTITY = "bob.example";

    /** An answer. */
    private static final class Answer {
        private final int status;
        private final byte[] body;

        Answer(int status, byte[] body) {
            this.status = status;
            this.body = body;
        }
    }

    private final HttpServer server;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    public OtherInstance() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                var path = exchange.getRequestURI().getPath();
                requests.add(exchange.getRequestMethod() + " " + path);
                exchange.getRequestBody().readAllBytes();
                var answer = answers.getOrDefault(path, new Answer(404, new byte[0]));
                if (answer.status / 100 == 3) {
                    exchange.getResponseHeaders().set("Location", "/elsewhere");
                }
                exchange.sendResponseHeaders(answer.status, answer.body.length == 0 ? -1 : answer.body.length);
                exchange.getResponseBody().write(answer.body);
            }
        });
        server.start();
    }

    public void answer(String path, int status, byte[] body) {
        answers.put(path, new Answer(status, body));
    }

    public void answerKeys(Jwk... keys) throws IOException {
        answer("/api/me/keys", 200, Json.data().writeValueAsBytes(Map.of("keys", keys)));
    }

    public List<String> requests() {
        return List.copyOf(requests);
    }

    public Remote remote() {
        return new Remote(new Hosts(Map.of(
                IDENTITY, URI.create("http://127.0.0.1:" + server.getAddress().getPort()))));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
