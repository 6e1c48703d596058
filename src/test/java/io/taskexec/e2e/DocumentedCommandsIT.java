package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of the documents, those in blocks marked {@code sh}, as a reader would: page after page in one
 * directory, beside one {@code taskexec dev}. Only ports, the address of the database and ids of executions are others.
 * A comment before a block says when the server is to refuse it, or why it is not run.
 */
class DocumentedCommandsIT {
    private static final Path PRELUDE = Path.of("src/test/resources/documents/prelude.sh");
    private static final Path LAUNCHER = Path.of("src/test/resources/documents/taskexec");
    private static final long SECONDS = 600;

    /** In the order of a reader, since each goes on where the one before it ended. */
    private static final List<String> PAGES = List.of(
            "README.md",
            "docs/clients/curl.md",
            "docs/quickstart.md",
            "docs/signing.md",
            "docs/events.md",
            "docs/flow.md",
            "docs/workflows.md",
            "docs/configuration.md",
            "docs/operations.md",
            "examples/README.md",
            // Last, since it leaves a file .env, which programs that start after it read.
            "deploy/README.md");

    /** Commands that build, test and measure, of which {@code ./verify} is the one that runs this. */
    private static final Set<String> OF_DEVELOPERS =
            Set.of("CONTRIBUTING.md", "bench/README.md", "docs/native.md", "docs/upgrades.md");

    /** These need another database server, which comes from nowhere here. */
    private static final Set<String> OF_COCKROACHDB = Set.of("docs/cockroachdb.md");

    /** CliDocumentIT follows these, in its own process. */
    private static final Set<String> OF_THE_COMMAND_LINE = Set.of("docs/cli.md");

    /** ClientPagesIT runs the programs of these. */
    private static final Set<String> OF_CLIENTS =
            Set.of("docs/clients/python.md", "docs/clients/node.md", "docs/clients/java.md", "docs/clients/go.md");

    /** What these show of outputs is compared with what is printed. */
    private static final Set<String> WITH_OUTPUT = Set.of("README.md", "docs/quickstart.md", "docs/clients/curl.md");

    private static final Pattern BLOCK =
            Pattern.compile("(?:<!-- answers (\\d{3}) -->\\n+)?```sh\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern NOT_RUN = Pattern.compile("<!-- not run: [^>]+ -->\\n+```sh\\n.*?```", Pattern.DOTALL);
    private static final Pattern EXECUTION_IN_PATH = Pattern.compile("/executions/exec_[0-9a-f]{32}");

    @TempDir
    private static Path directory;

    private static final ServerDb database = ServerDb.fresh(DocumentedCommandsIT.class);
    private static final ServerDb other = ServerDb.fresh(Other.class);
    private static final Map<String, String> PORTS =
            Map.of("DEV_PORT", port(), "ECHO_PORT", port(), "SERVE_PORT", port(), "MANAGEMENT_PORT", port());

    /** Names a database. */
    private static final class Other {}

    private static String port() {
        return "" + Program.freePort();
    }

    @AfterAll
    static void stop() throws IOException {
        for (var name : List.of("dev", "echo")) {
            var pid = directory.resolve(name + ".pid");
            if (Files.exists(pid)) {
                ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).ifPresent(process -> {
                    process.destroy();
                    process.onExit().orTimeout(20, TimeUnit.SECONDS).join();
                });
            }
        }
    }

    @Test
    void everyCommandOfTheDocumentsDoesWhatThePageSays() throws IOException, InterruptedException {
        Files.copy(LAUNCHER, directory.resolve("taskexec"));
        assertThat(directory.resolve("taskexec").toFile().setExecutable(true)).isTrue();
        Files.createDirectory(directory.resolve("examples"));
        for (var example : list(Path.of("examples"))) {
            Files.writeString(
                    directory.resolve("examples").resolve(example.getFileName()), here(Files.readString(example)));
        }
        Files.createDirectory(directory.resolve("deploy"));
        Files.copy(
                Path.of("deploy/compose-env.sh"),
                directory.resolve("deploy/compose-env.sh"),
                StandardCopyOption.COPY_ATTRIBUTES);
        for (var page : PAGES) {
            run(page);
        }
    }

    @Test
    void everyPageWithCommandsIsAmongThem() throws IOException {
        var pages = new TreeSet<String>();
        for (var folder : List.of("", "docs", "docs/clients", "examples", "bench", "deploy")) {
            for (var page : list(Path.of(folder))) {
                if (page.toString().endsWith(".md")
                        && BLOCK.matcher(whatIsRun(page)).find()) {
                    pages.add(page.toString());
                }
            }
        }
        pages.removeAll(OF_DEVELOPERS);
        pages.removeAll(OF_COCKROACHDB);
        pages.removeAll(OF_THE_COMMAND_LINE);
        pages.removeAll(OF_CLIENTS);

        assertThat(pages).containsExactlyInAnyOrderElementsOf(PAGES);
    }

    @Test
    void theDocumentsSayWhichPagesAreNotAmongThem() throws IOException {
        var paragraphs = Files.readString(Path.of("docs/README.md")).strip().split("\n\n", -1);
        var said = paragraphs[paragraphs.length - 1];

        assertThat(Stream.of(OF_DEVELOPERS, OF_COCKROACHDB, OF_THE_COMMAND_LINE, Set.of("deploy/README.md"))
                        .flatMap(Set::stream)
                        .map(page -> Path.of("docs").relativize(Path.of(page)).toString()))
                .allSatisfy(link -> assertThat(said).contains("](" + link + ")"));
    }

    private static String whatIsRun(Path page) throws IOException {
        return NOT_RUN.matcher(Files.readString(page)).replaceAll("");
    }

    private static List<Path> list(Path folder) throws IOException {
        if (!Files.exists(folder) && !folder.toString().isEmpty()) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void run(String page) throws IOException, InterruptedException {
        var script = new PageScript(whatIsRun(Path.of(page)), DocumentedCommandsIT::here);
        var file = Files.writeString(directory.resolve("page.sh"), Files.readString(PRELUDE) + script.text());
        var output = directory.resolve("page.log").toFile();
        var builder = new ProcessBuilder("bash", "-x", file.toString())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output);
        builder.environment().keySet().removeIf(name -> name.startsWith("TE_"));
        builder.environment().putAll(PORTS);
        builder.environment()
                .put(
                        "PROGRAM",
                        Program.program().stream()
                                .map(DocumentedCommandsIT::absolute)
                                .collect(Collectors.joining(" ")));

        var bash = builder.start();
        var ended = bash.waitFor(SECONDS, TimeUnit.SECONDS);
        bash.destroyForcibly();

        assertThat(ended && bash.exitValue() == 0)
                .as("%s: %s", page, Files.readString(output.toPath()))
                .isTrue();
        if (WITH_OUTPUT.contains(page)) {
            script.assertShownIsPrinted(directory);
        }
    }

    /** The program is named from the directory of the build. */
    private static String absolute(String word) {
        return Files.exists(Path.of(word)) ? Path.of(word).toAbsolutePath().toString() : word;
    }

    private static String here(String text) {
        var local = text.replace("127.0.0.1:8080", "127.0.0.1:" + PORTS.get("DEV_PORT"))
                .replace("127.0.0.1:9999", "127.0.0.1:" + PORTS.get("ECHO_PORT"))
                .replace("--port 9999", "--port " + PORTS.get("ECHO_PORT"))
                .replace("postgresql://taskexec:password@db.internal:5432/taskexec", database.url())
                .replace("postgresql://taskexec:password@old.internal:5432/taskexec", database.url())
                .replace("postgresql://taskexec:password@new.internal:5432/taskexec", other.url());
        return EXECUTION_IN_PATH.matcher(local).replaceAll("/executions/\\$(cat execution)");
    }
}
