package io.taskexec;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.TrainingServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs commands that talk to a server, so that the JVM records in an AOT cache what such a command loads. A build runs
 * it; bin/run.sh says with which options.
 */
public final class ClientTraining {
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

    /** Runs every command once, and fails when one that asks a server is not understood. */
    public static void main(String[] args) throws IOException {
        var token = Files.createTempFile("taskexec", ".token");
        try (var server = TrainingServer.start()) {
            Files.writeString(token, "no-real-key");
            var url = "http://127.0.0.1:" + server.port();
            for (var command : WITH_A_SERVER) {
                var words = Stream.concat(command.stream(), Stream.of("--url", url, "--token-file", token.toString()))
                        .toList();
                System.setIn(new ByteArrayInputStream(MANIFEST.getBytes(StandardCharsets.UTF_8)));
                if (run(words) == ExitCode.USAGE) {
                    throw new IllegalStateException("This is no command: " + String.join(" ", command));
                }
            }
            ALONE.forEach(words -> {
                var _ = run(words);
            });
        } finally {
            Files.delete(token);
        }
    }

    private static int run(List<String> words) {
        return Main.commandLine(words)
                .setOut(new PrintWriter(Writer.nullWriter()))
                .setErr(new PrintWriter(Writer.nullWriter()))
                .execute(words.toArray(String[]::new));
    }
}
