package io.taskexec.cli.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Returns the same answer to every request, for commands that run to record which classes they load. */
public final class TrainingServer implements AutoCloseable {
    private static final int OK = 200;

    /** A list that also has the fields of each resource. */
    private static final String ANSWER = """
            {"items": [{"job_id": "job_1", "execution_id": "exec_1", "name": "one", "status": "ACTIVE",
                "endpoint": "one", "next_run_at": "2026-01-01T00:00:00Z", "tags": ["a"], "duration_ms": 12,
                "attempt_count": 1}],
             "cursor": null, "job_id": "job_1", "execution_id": "exec_1", "name": "one", "status": "SUCCESS",
             "version": 1, "created_at": "2026-01-01T00:00:00Z", "next_run_at": "2026-01-01T00:00:00Z",
             "values": {"a": 1.50},
             "execution": {"execution_id": "exec_1", "status": "SUCCESS"},
             "active_executions": {"pending": 0, "running": 0, "total": 0}}
            """;

    private final HttpServer server;

    private TrainingServer(HttpServer server) {
        this.server = server;
    }

    /** Starts a server on a free port. */
    public static TrainingServer start() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var _ = server.createContext("/", TrainingServer::answer);
        server.start();
        return new TrainingServer(server);
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var _ = exchange.getRequestBody().readAllBytes();
            var answer = ANSWER.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("ETag", "\"1\"");
            exchange.sendResponseHeaders(OK, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
