package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/cli.md, followed line by line. */
@ServerTest(env = CliBed.EVENTS)
class CliDocumentIT {
    private static final Pattern VARIABLE = Pattern.compile("(\\w+)=\\$\\((.*) \\| jq -r \\.(\\w+)\\)");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    private static CliBed cli;

    @BeforeAll
    static void setUp(@TempDir Path folder) throws IOException {
        cli = CliBed.in(folder, api);
    }

    /** A document is true when each of its lines can be typed, in its order. */
    @Test
    void everyLineOfTheDocumentWorks() throws Exception {
        var document = CliDocument.read(Path.of("docs/cli.md"));
        var reader = Files.createDirectories(cli.folder().resolve("reader"));
        for (var file : document.files().entrySet()) {
            Files.writeString(
                    reader.resolve(file.getKey()), file.getValue().replace("mail-key.txt", reader + "/mail-key.txt"));
        }
        Files.writeString(reader.resolve("mail-key.txt"), "hunter2-hunter2\n");
        prepareProfile(reader, document.files().getOrDefault("config.yaml", ""));
        var variables = new HashMap<String, String>();
        for (var line : document.lines()) {
            follow(line, reader, variables);
        }
        assertThat(document.lines()).hasSizeGreaterThan(30);
        assertThat(cli.done("apply", "-f", reader.resolve("shop.yaml").toString()))
                .contains("4 unchanged.");
    }

    private static void prepareProfile(Path reader, String text) throws IOException {
        var file = Files.createDirectories(reader.resolve("taskexec")).resolve("config.yaml");
        Files.writeString(
                file,
                text.replace("http://127.0.0.1:8080", api.uri("").toString())
                        .replace(".taskexec/api-key", cli.tokenFile().toString()));
        var _ = Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static void follow(String line, Path reader, Map<String, String> variables) throws Exception {
        var assignment = VARIABLE.matcher(line);
        if (line.startsWith("export ")) {
            // Every command of a test is told where its server is.
            return;
        }
        if (line.startsWith("source <(")) {
            var script = CommandRun.of(words(line.substring(9, line.length() - 1), reader, variables));
            assertThat(script.code()).as(line).isZero();
        } else if (assignment.matches()) {
            var printed = cli.done(words(assignment.group(2), reader, variables));
            variables.put(
                    assignment.group(1),
                    Json.parse(printed).path(assignment.group(3)).asText());
        } else if (line.contains("--profile")) {
            var process = Program.command(words(line, reader, variables))
                    .with("XDG_CONFIG_HOME", reader.toString())
                    .run();
            assertThat(process.awaitExit()).as(process.output()).isZero();
        } else if (line.contains(" --watch") || line.endsWith(" -f") || line.endsWith(" top")) {
            try (var live = new CommandRun.Running(cli.withServer(words(line, reader, variables)))) {
                live.await(line, text -> !text.isEmpty());
                assertThat(live.stop()).as(line).isZero();
            }
        } else {
            var parts = line.split(" < ", 2);
            var input = parts.length == 1 ? "" : Files.readString(reader.resolve(parts[1]));
            var run = CommandRun.withInput(input, cli.withServer(words(parts[0], reader, variables)));
            // The last dry run of the document finds nothing to change.
            assertThat(run.code()).as("%s: %s%s", line, run.out(), run.err()).isZero();
        }
    }

    private static String[] words(String line, Path reader, Map<String, String> variables) {
        assertThat(line).startsWith("taskexec ");
        return WORD.matcher(line)
                .results()
                .skip(1)
                .map(word -> Stream.of(1, 2, 3)
                        .map(word::group)
                        .filter(group -> group != null)
                        .findFirst()
                        .orElse(""))
                .map(word ->
                        word.replace("http://127.0.0.1:9999", receiver.uri("").toString()))
                .map(word -> word.startsWith("$") ? variables.getOrDefault(word.substring(1), "") : word)
                .map(word -> Files.isRegularFile(reader.resolve(word))
                        ? reader.resolve(word).toString()
                        : word)
                .toArray(String[]::new);
    }
}
