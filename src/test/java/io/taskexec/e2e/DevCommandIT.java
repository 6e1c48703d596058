package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevCommandIT {
    private static final Duration STOP_BOUND = Duration.ofSeconds(20);
    private static final int REFUSED = 2;

    private static final Duration SAID_BOUND = Duration.ofSeconds(20);

    private static final Receiver receiver = new Receiver();

    private final Path data;
    private final int port = Program.freePort();

    DevCommandIT(@TempDir Path directory) {
        data = directory.resolve("data");
    }

    private Program.Setup dev() {
        return Program.command("dev", "--data-dir", data.toString(), "--port", "" + port);
    }

    private Api api() throws IOException {
        return new Api(port, Files.readString(data.resolve("api-key")).strip());
    }

    /** Its ports answer a moment before it says so. */
    private static void awaitSaid(Program program, String text) throws InterruptedException {
        Eventually.await("it says " + text, SAID_BOUND, () -> program.out().contains(text));
    }

    @Test
    void oneCommandIsEnoughToDeliverAJob() throws InterruptedException, IOException {
        try (var program = dev().startReady()) {
            var key = Files.readString(data.resolve("api-key")).strip();
            awaitSaid(program, key);
            assertThat(program.out())
                    .contains("taskexec is ready.", "http://127.0.0.1:" + port, key, data.toString())
                    .contains(program.managementUri("/q/metrics"), program.managementUri("/q/health"))
                    .doesNotContain("INFO", "WARN", "ERROR");
            assertThat(program.err()).isEmpty();
            assertThat(mode("api-key")).isEqualTo("rw-------");
            assertThat(mode("secret-key")).isEqualTo("rw-------");
            assertThat(program.output())
                    .doesNotContain(Files.readString(data.resolve("secret-key")).strip());

            assertPageToTryTheApiOn(program);

            api().endpoint("first", receiver.uri("/first"), Map.of());
            var execution = api().ended(api().immediate("first", "k"));

            assertThat(execution.getString("status")).isEqualTo("SUCCESS");
            assertThat(receiver.requests()).anyMatch(request -> request.path().equals("/first"));

            var second = dev().run();
            assertThat(second.awaitExit()).isEqualTo(REFUSED);
            assertThat(second.output().strip())
                    .matches("The data directory .* is in use by another taskexec dev \\(pid \\d+\\)\\.");
            var elsewhere = Program.command("dev", "--data-dir", data.toString(), "--port", "" + Program.freePort())
                    .run();
            assertThat(elsewhere.awaitExit()).isEqualTo(REFUSED);
            assertThat(elsewhere.output().strip())
                    .matches("The data directory \\S+ is in use by another taskexec dev \\(pid \\d+\\)\\.");

            var database = databaseProcess();
            assertThat(database.isAlive()).isTrue();
            program.terminate();
            var _ = program.awaitExit(STOP_BOUND);
            awaitEnd(database);
            assertThat(program.output()).doesNotContain("\tat ", "ERROR");
        }
    }

    private void assertPageToTryTheApiOn(Program program) throws IOException {
        assertThat(api().bare().get("/").jsonPath().getString("swagger_ui")).isEqualTo("/q/swagger-ui");
        assertThat(program.out()).contains("http://127.0.0.1:" + port + "/q/swagger-ui");
        var page = api().bare().get("/q/swagger-ui");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.contentType()).startsWith("text/html");
        assertThat(page.asString()).contains("swagger-ui-bundle.js", "url: '/q/openapi'");
        for (var file : List.of("swagger-ui-bundle.js", "swagger-ui-standalone-preset.js", "swagger-ui.css")) {
            assertThat(api().bare().get("/q/swagger-ui/" + file).statusCode())
                    .as(file)
                    .isEqualTo(200);
        }
        assertThat(api().bare()
                        .get("/q/openapi?format=json")
                        .jsonPath()
                        .<Map<String, String>>get("components.securitySchemes.bearer"))
                .containsEntry("type", "http")
                .containsEntry("scheme", "bearer");
    }

    private String mode(String file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve(file)));
    }

    private ProcessHandle databaseProcess() throws IOException {
        var pid = Files.readAllLines(data.resolve("postgres").resolve("postmaster.pid"))
                .getFirst();
        return ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow();
    }

    /** The server says goodbye a moment before its process is gone. */
    private static void awaitEnd(ProcessHandle database) throws InterruptedException {
        Eventually.await("the database has ended", STOP_BOUND, () -> !database.isAlive());
    }

    @Test
    void everythingIsStillThereAfterARestartEvenAfterAKill() throws InterruptedException, IOException {
        String key;
        String old;
        String delayed;
        Instant runAt;
        try (var program = dev().startReady()) {
            key = api().key();
            api().secret("kept", "kept-secret-value");
            api().create("/endpoints", """
                    {"name": "kept", "type": "HTTP",
                     "spec": {"url": "%s", "method": "POST", "headers": {"X-Key": "{{secret.kept}}"}}}
                    """.formatted(receiver.uri("/kept")));
            old = api().create("/jobs", Api.immediateJob("kept", "old")).getString("job_id");
            var _ = api().ended(old.replace("job_", "exec_"));
            program.terminate();
            var _ = program.awaitExit(STOP_BOUND);
        }
        try (var program = dev().startReady()) {
            assertThat(api().key()).isEqualTo(key);
            awaitSaid(program, key);
            assertThat(api().read("/jobs/" + old).getString("execution.status")).isEqualTo("SUCCESS");
            var job = api().create("/jobs", """
                    {"endpoint": "kept", "trigger": "DELAYED", "delay": "PT3S", "idempotency_key": "delayed"}""");
            delayed = job.getString("execution.execution_id");
            runAt = Instant.parse(job.getString("run_at"));
            program.kill();
        }
        try (var program = dev().startReady()) {
            var execution = api().ended(delayed);

            assertThat(execution.getString("status")).as(program.output()).isEqualTo("SUCCESS");
            var deliveries = receiver.requests().stream()
                    .filter(request -> delayed.equals(request.header("Idempotency-Key")))
                    .toList();
            assertThat(deliveries).hasSize(1);
            assertThat(deliveries.getFirst().header("X-Key")).isEqualTo("kept-secret-value");
            assertThat(deliveries.getFirst().arrivedAt()).isBetween(runAt, runAt.plusSeconds(60));
            var database = databaseProcess();
            program.terminate();
            var _ = program.awaitExit(STOP_BOUND);
            awaitEnd(database);
        }
    }
}
