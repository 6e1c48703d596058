package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.taskexec.testing.Program;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pages below docs/clients: their programs are run as the page says, and print what it shows. */
@ServerTest
class ClientPagesIT {
    private static final Path PAGES = Path.of("docs/clients");
    private static final Pattern FILE =
            Pattern.compile("`([\\w.]+)`:\\n\\n```(?:python|javascript|java|go)\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern COMMANDS = Pattern.compile("```sh\\n(.*?)```\\n\\n```\\n(.*?)```", Pattern.DOTALL);
    private static final long BOUND_SEC = 120;

    /** The next page wants the port. */
    private static final String END = "kill $!\n";

    @Inject
    private static Program program;

    @ParameterizedTest
    @CsvSource({"python.md, python3", "node.md, node", "java.md, java", "go.md, go"})
    void theProgramsOfThePagePrintWhatItShows(String page, String tool, @TempDir Path directory) throws Exception {
        assumeThat(isThere(tool))
                .as("%s is on this machine, for %s", tool, page)
                .isTrue();
        var port = "" + Program.freePort();
        var text = here(Files.readString(PAGES.resolve(page)), port);
        var files = FILE.matcher(text).results().toList();
        assertThat(files).hasSize(2);
        for (var file : files) {
            Files.writeString(directory.resolve(file.group(1)), file.group(2));
        }
        var commands = COMMANDS.matcher(text);
        assertThat(commands.find()).isTrue();

        var unsigned =
                "curl -sS -o /dev/null -w '%{http_code}' -d '{}' http://127.0.0.1:" + port + "/hello > unsigned\n";
        assertThat(commands.group(1)).endsWith(END);
        var printed = run(commands.group(1).replace(END, abandoned(port) + unsigned + END), directory);

        ShownOutput.assertContains(commands.group(2), printed);
        assertThat(Files.readString(directory.resolve("receiver.log")))
                .as("deliveries whose signature is valid")
                .containsPattern("exec_[0-9a-f]{32}.*Ada");
        assertThat(Files.readString(directory.resolve("unsigned")))
                .as("the answer to a request that was not signed")
                .isEqualTo("401");
    }

    /** A request whose client goes away before its end, which the receiver survives. */
    private static String abandoned(String port) {
        return """
                (exec 3<>/dev/tcp/127.0.0.1/%s
                  printf 'POST /hello HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 9\\r\\n\\r\\n{' >&3)
                sleep 0.5
                """.formatted(port);
    }

    private String run(String commands, Path directory) throws IOException, InterruptedException {
        Files.writeString(
                Files.createDirectory(directory.resolve(".taskexec")).resolve("api-key"), Program.API_KEY + "\n");
        var output = directory.resolve("page.log");
        var script = "set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + commands
                + "wait $! || true\n[ -z \"$(jobs -p)\" ]\n";
        var builder = new ProcessBuilder("bash", "-c", script)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        withJavaOfTests(builder);
        var bash = builder.start();
        var ended = bash.waitFor(BOUND_SEC, TimeUnit.SECONDS);
        bash.destroyForcibly();
        var printed = Files.readString(output);
        assertThat(ended && bash.exitValue() == 0).as(printed).isTrue();
        return printed;
    }

    /** There may be an older one before it. */
    private static void withJavaOfTests(ProcessBuilder builder) {
        var path = System.getProperty("java.home") + "/bin:"
                + builder.environment().get("PATH");
        builder.environment().put("PATH", path);
    }

    private static String here(String text, String port) {
        return text.replace("127.0.0.1:8080", "127.0.0.1:" + program.apiPort()).replace("9999", port);
    }

    private static boolean isThere(String tool) throws IOException, InterruptedException {
        return new ProcessBuilder("sh", "-c", "command -v " + tool).start().waitFor() == 0;
    }
}
