package io.taskexec;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs commands that talk to a server, so that the JVM records in an AOT cache what such a command loads. A build runs it;
 * bin/client-cache.sh says with which options. Nothing real is asked: every request gets the same answer.
 */
public final class ClientTraining {
    private static final int OK = 200;

    /** A list, and in one also each resource that it might be. */
    private static final String ANSWER = """
            {"items": [{"job_id": "job_1", "execution_id": "exec_1", "name": "one", "status": "ACTIVE", "endpoint": "one",
                "next_run_at": "2026-01-01T00:00:00Z", "tags": ["a"], "duration_ms": 12, "attempt_count": 1}],
             "cursor": null, "job_id": "job_1", "execution_id": "exec_1", "name": "one", "status": "SUCCESS", "version": 1,
             "created_at": "2026-01-01T00:00:00Z", "next_run_at": "2026-01-01T00:00:00Z", "values": {"a": 1.50},
             "execution": {"execution_id": "exec_1", "status": "SUCCESS"}, "pending": 0, "running": 0}
            """;

    private static final String MANIFEST = """
            kind: Endpoint
            name: one
            type: HTTP
            spec: {url: "http://127.0.0.1/{{input.name}}", method: POST, body_template: {a: [1, "b"]}}
            ---
            kind: Job
            name: hourly
            endpoint: one
            every: 1h
            """;

    private static final List<List<String>> WITH_A_SERVER = List.of(
            List.of("jobs", "list"),
            List.of("jobs", "get", "job_1"),
            List.of("jobs", "create", "--endpoint", "one", "--input", "{\"name\": \"Ada\"}", "--wait"),
            List.of("jobs", "create", "--endpoint", "one", "--cron", "@daily", "-o", "json"),
            List.of("jobs", "pause", "job_1"),
            List.of("jobs", "resume", "job_1"),
            List.of("jobs", "cancel", "job_1"),
            List.of("executions", "list", "--status", "failed", "--created-from", "1h", "-o", "name"),
            List.of("executions", "get", "exec_1", "-o", "yaml"),
            List.of("executions", "list", "-o", "jsonpath={range .items[*]}{.execution_id}{\"\\n\"}{end}"),
            List.of("endpoints", "list", "-o", "json"),
            List.of("configs", "list", "--no-headers"),
            List.of("queues", "list"),
            List.of("apply", "-f", "-", "--dry-run"),
            List.of("logs", "exec_1"));

    private static final List<List<String>> ALONE = List.of(
            List.of("version"),
            List.of("help"),
            List.of("help", "jobs", "create"),
            List.of("completion", "bash"),
            List.of("cron", "next", "30 2 * * *", "--tz", "Europe/Berlin"),
            List.of("jobs", "lits"));

    private ClientTraining() {}

    /** Runs every command once, and fails when one that needs a server is not understood. */
    public static void main(String[] args) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var _ = server.createContext("/", ClientTraining::answer);
        server.start();
        var token = Files.createTempFile("taskexec", ".token");
        try {
            Files.writeString(token, "no-real-key");
            var url = "http://127.0.0.1:" + server.getAddress().getPort();
            for (var command : WITH_A_SERVER) {
                var words = Stream.concat(command.stream(), Stream.of("--url", url, "--token-file", token.toString()))
                        .toList();
                System.setIn(new ByteArrayInputStream(MANIFEST.getBytes(StandardCharsets.UTF_8)));
                if (run(words) != 0) {
                    throw new IllegalStateException("This command has failed: " + String.join(" ", command));
                }
            }
            ALONE.forEach(words -> {
                var _ = run(words);
            });
        } finally {
            Files.delete(token);
            server.stop(0);
        }
    }

    private static int run(List<String> words) {
        return Main.commandLine(words)
                .setOut(new PrintWriter(Writer.nullWriter()))
                .setErr(new PrintWriter(Writer.nullWriter()))
                .execute(words.toArray(String[]::new));
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
}
