package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Uses the TypeScript and Python clients that a generator makes of docs/openapi.json with its default options, by the
 * scenarios in src/test/clients.
 */
@ServerTest
class GeneratedScriptsIT {
    private static final Path SCENARIOS = Path.of("src/test/clients");
    private static final Path CLIENTS = Path.of("target/clients").toAbsolutePath();
    private static final String COMPILER = "/META-INF/resources/webjars/typescript";
    private static final int BOUND_SEC = 120;
    private static final String WITHOUT = "taskexec.without-scripts";

    @Inject
    private static Receiver receiver;

    @Inject
    private static Program program;

    @BeforeAll
    static void setUp() {
        receiver.answer(request -> Answer.of(request.path().endsWith("/ok") ? 200 : 400, "as you say"));
    }

    @Test
    void aClientInTypeScriptDoesWhatTheDocumentSays() throws Exception {
        require(
                "the client in TypeScript needs Node.js 18 or newer, as 'node' on the PATH",
                run(Map.of(), "node", "-e", "process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)"));
        var client = CLIENTS.resolve("typescript");
        Files.copy(
                SCENARIOS.resolve("scenario.ts"), client.resolve("scenario.ts"), StandardCopyOption.REPLACE_EXISTING);
        var compiler = unpackCompiler();

        var compiled = run(
                Map.of(),
                "node",
                compiler.resolve("tsc.js").toString(),
                "--strict",
                "--skipLibCheck",
                "--module",
                "commonjs",
                "--target",
                "es2022",
                "--lib",
                "es2022,dom",
                "--outDir",
                client.resolve("compiled").toString(),
                client.resolve("scenario.ts").toString());
        assertThat(compiled.output()).isEmpty();
        assertDone(run(Map.of(), "node", client.resolve("compiled/scenario.js").toString()));
    }

    @Test
    void aClientInPythonDoesWhatTheDocumentSays() throws Exception {
        require(
                "the client in Python needs pydantic 2 or newer, urllib3 and python-dateutil in 'python3'",
                run(Map.of(), "python3", "-c", "import urllib3, dateutil, pydantic; assert pydantic.VERSION >= '2'"));
        // Else it would write what it compiles beside the sources that it read.
        var environment = Map.of("PYTHONPATH", CLIENTS.resolve("python").toString(), "PYTHONDONTWRITEBYTECODE", "1");

        assertDone(run(environment, "python3", SCENARIOS.resolve("scenario.py").toString()));
    }

    /** Who does without a language says so: a test that vanished by itself would be missed by nobody. */
    private static void require(String need, Run check) {
        assumeFalse(Boolean.getBoolean(WITHOUT), "skipped, as " + WITHOUT + " says: " + need);
        assertThat(check.succeeded())
                .as("%s; -D%s=true goes on without", need, WITHOUT)
                .isTrue();
    }

    private static void assertDone(Run run) {
        assertThat(run.output()).isEqualTo("all is as expected\n");
        assertThat(run.exitCode()).isZero();
    }

    /** The compiler and what it knows of the language, from the library that brings them. */
    private static Path unpackCompiler() throws IOException {
        var resource = Objects.requireNonNull(GeneratedScriptsIT.class.getResource(COMPILER));
        var jar = URI.create(resource.toString().replaceFirst("!.*", ""));
        var target = Files.createDirectories(CLIENTS.resolve("typescript-compiler"));
        try (var files = FileSystems.newFileSystem(jar, Map.of());
                var found = Files.walk(files.getPath(COMPILER), 3)) {
            for (var file : found.filter(GeneratedScriptsIT::isCompiler).toList()) {
                Files.copy(file, target.resolve(file.getFileName().toString()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        return target;
    }

    private static boolean isCompiler(Path file) {
        return String.valueOf(file.getFileName()).matches("_?tsc\\.js|lib\\..*\\.d\\.ts");
    }

    private record Run(int exitCode, String output) {
        boolean succeeded() {
            return exitCode == 0;
        }
    }

    private static Run run(Map<String, String> environment, String... command) throws InterruptedException {
        var builder = new ProcessBuilder(new ArrayList<>(List.of(command))).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment()
                .putAll(Map.of(
                        "TE_URL",
                        "http://127.0.0.1:" + program.apiPort(),
                        "TE_KEY",
                        Program.API_KEY,
                        "RECEIVER_URL",
                        receiver.uri("").toString(),
                        "SIGNING_KEY",
                        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
        try {
            var process = builder.start();
            var output = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor(BOUND_SEC, TimeUnit.SECONDS)).isTrue();
            return new Run(process.exitValue(), output);
        } catch (IOException e) {
            return new Run(-1, String.valueOf(e.getMessage()));
        }
    }
}
