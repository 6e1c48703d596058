package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.taskexec.Main;
import io.taskexec.cli.text.YamlReader;
import io.taskexec.model.Json;
import io.taskexec.model.VisibleText;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests the output of client commands, and their watch mode. */
@ServerTest(env = CliBed.EVENTS)
class CliOutputIT {
    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    private static CliBed cli;

    @BeforeAll
    static void setUp(@TempDir Path folder) throws IOException {
        cli = CliBed.in(folder, api);
    }

    @Test
    void configsAndSpecsAreCreatedListedShownAndDeleted() throws Exception {
        for (var noun : Map.of("configs", "values: {a: {b: 1.50}}", "specs", "schema: {title: Things}")
                .entrySet()) {
            var text = "name: from-file\n%s\n---\nname: second\n%s\n".formatted(noun.getValue(), noun.getValue());
            assertThat(cli.done(noun.getKey(), "create", "-f", cli.file("two.yaml", text)))
                    .contains("from-file is created.", "second is created.");
            assertThat(cli.done(noun.getKey(), "list"))
                    .startsWith("NAME")
                    .contains("second", "from-file")
                    .containsPattern("\\b(now|\\d+s ago)\\b");
            assertThat(cli.json(noun.getKey(), "list").findValuesAsText("name")).contains("second", "from-file");
            var shown = YamlReader.read("x", cli.done(noun.getKey(), "get", "second", "-o", "yaml"))
                    .getFirst()
                    .tree();
            assertThat(shown).isEqualTo(cli.json(noun.getKey(), "get", "second"));
            assertThat(cli.done(noun.getKey(), "get", "second")).contains("version", "created_at");
            assertThat(cli.done(noun.getKey(), "delete", "second", "from-file")).contains("second is deleted.");
            assertThat(cli.json(noun.getKey(), "list").findValuesAsText("name")).doesNotContain("second", "from-file");
        }
    }

    /** It clears a screen and turns the direction of what follows, from the input, the receiver and a name. */
    @Test
    void whatClientsAndReceiversSayCommandsNoTerminal() throws Exception {
        var evil = "a\u001b[2J\u202Eb";
        receiver.answer(request ->
                Answer.of(request.path().equals("/cli-evil-bad") ? 400 : 200, "{\"said\":\"a\\u001b[2J\u202Eb\"}"));
        for (var name : List.of("cli-evil", "cli-evil-bad")) {
            api.endpoint(name, receiver.uri("/" + name), Map.of("max_attempts", 1));
            var job = Map.of(
                    "endpoint", name, "trigger", "IMMEDIATE", "idempotency_key", name, "input", Map.of("n", evil));
            var execution = api.create("/jobs", job).getString("execution.execution_id");
            var _ = api.ended(execution);
            var path = "/executions/" + execution;

            for (var format : List.of("table", "json", "yaml")) {
                assertThat(List.of(
                                cli.done("executions", "get", execution, "-o", format),
                                cli.done("executions", "list", "--endpoint", name, "-o", format),
                                cli.done("logs", "--endpoint", name, "-o", format)))
                        .as(format)
                        .allSatisfy(
                                text -> assertThat(VisibleText.hasHidden(text)).isFalse());
            }
            var said = Json.parse(api.get(path).asString());
            if (name.equals("cli-evil")) {
                assertThat(said.toString()).contains("\u202E");
                assertThat(cli.done("executions", "get", execution)).contains("a\\u001b[2J\\u202eb");
            }
            assertThat(cli.json("executions", "get", execution)).isEqualTo(said);
            assertThat(YamlReader.read("x", cli.done("executions", "get", execution, "-o", "yaml"))
                            .getFirst()
                            .tree())
                    .isEqualTo(said);
        }
        var refused = cli.run("endpoints", "get", evil);
        assertThat(refused.code()).isNotZero();
        assertThat(VisibleText.hasHidden(refused.out() + refused.err())).isFalse();
    }

    @Test
    void theValueOfASecretIsReadAndNeverShown() throws Exception {
        var created = CommandRun.withInput("hunter2-hunter2\n", cli.withServer("secrets", "set", "cli-key"));
        assertThat(created.out()).isEqualTo("secret cli-key is created.%n".formatted());
        assertThat(CommandRun.withInput("other-value", cli.withServer("secrets", "set", "secrets/cli-key"))
                        .out())
                .isEqualTo("secret cli-key is replaced.%n".formatted());
        assertThat(CommandRun.withInput("third", cli.withServer("secrets", "create", "cli-key"))
                        .code())
                .isEqualTo(1);

        assertThat(cli.done("secrets", "list") + cli.done("secrets", "get", "cli-key", "-o", "yaml"))
                .contains("cli-key", "version: 2")
                .doesNotContain("hunter2", "other-value");
        assertThat(cli.done("secrets", "delete", "cli-key")).contains("is deleted");
    }

    @Test
    void whatIsPrintedForProgramsIsNamesPartsOrATableWithoutTitles() throws Exception {
        for (var i = 1; i < 3; i++) {
            api.config("form-" + i, Map.of("a", i));
        }
        assertThat(cli.done("configs", "list", "-o", "name").lines()).contains("configs/form-1", "configs/form-2");
        assertThat(cli.done("configs", "get", "configs/form-1", "-o", "name")).isEqualTo("configs/form-1\n");
        assertThat(cli.done("configs", "get", "form-2", "-o", "jsonpath={.values.a}{\"\\n\"}"))
                .isEqualTo("2\n");
        assertThat(cli.done("configs", "list", "-o", "jsonpath={.items[?(@.name==\"form-2\")].values.a}"))
                .isEqualTo("2");
        assertThat(cli.done("configs", "list", "--no-headers"))
                .contains("form-1")
                .doesNotContain("NAME", "VERSION");
        assertThat(cli.run("configs", "list", "-o", "jsonpath={.items[").err()).contains("is not a path in braces");
        assertThat(cli.run("configs", "list", "-o", "xml").err())
                .contains("expected table, json, yaml, name or jsonpath");
        assertThat(cli.run("configs", "list", "-o", "json", "--no-headers").err())
                .startsWith("--no-headers cannot be used with -o");
        assertThat(cli.done("specs", "create", "-o", "name", "-f", cli.file("spec.yaml", "name: form\nschema: {}\n")))
                .isEqualTo("specs/form\n");
    }

    @Test
    void listsComeInPagesOnlyAsFarAsTheyAreAskedFor() throws Exception {
        for (var i = 0; i < 3; i++) {
            api.config("paged-" + i, Map.of());
        }

        var some = cli.run("configs", "list", "--limit", "2");
        assertThat(some.out().lines()).hasSize(3);
        assertThat(some.err()).contains("There are more: use --all or a greater --limit.");
        assertThat(cli.json("configs", "list", "--all").findValuesAsText("name"))
                .contains("paged-0", "paged-1", "paged-2");
        assertThat(cli.run("configs", "list", "--limit", "0").code()).isEqualTo(2);
    }

    @Test
    void aWatchedListTellsOfWhatHasChanged() throws Exception {
        api.config("watched", Map.of("a", 1));
        try (var watch = new CommandRun.Running(
                cli.withServer("configs", "list", "--watch", "--interval", "PT0.1S", "-o", "json"))) {
            watch.await("the first look", text -> text.contains("\"watched\""));
            var _ = api.update("/configs/watched", Map.of("values", Map.of("a", 2)));

            var printed = watch.await("the change", text -> text.contains("\"watched\",\"version\":2"));

            assertThat(printed.lines().filter(line -> line.contains("\"watched\"")))
                    .hasSize(2);
            assertThat(watch.stop()).isZero();
        }
    }

    @Test
    void aWatchedResourceIsShownAgainWhenItHasChanged() throws Exception {
        api.config("looked-at", Map.of("a", 1));
        try (var watch = new CommandRun.Running(
                cli.withServer("configs", "get", "looked-at", "--watch", "--interval", "PT0.1S"))) {
            watch.await("the first look", text -> text.contains("values.a"));
            var _ = api.update("/configs/looked-at", Map.of("values", Map.of("a", 2)));

            assertThat(watch.await("the change", text -> text.contains("values.a    2")))
                    .containsOnlyOnce("values.a    1");
            assertThat(watch.stop()).isZero();
        }
    }

    @Test
    void ctrlCEndsWhatIsWatched() throws Exception {
        // Programs that a shell starts in the background inherit that they do not hear of it.
        assumeThat(ignoresInterrupts()).isFalse();
        api.config("interrupted", Map.of());
        var watch =
                Program.command(cli.withServer("configs", "list", "--watch")).start();
        Eventually.await(
                "the first look", Duration.ofSeconds(20), () -> watch.out().contains("interrupted"));

        watch.interrupt();

        assertThat(watch.awaitExit()).isEqualTo(130);
        assertThat(watch.err()).isEmpty();
    }

    @Test
    void anOutputThatCannotBeWrittenIsAnError() throws Exception {
        var full = new File("/dev/full");
        assumeThat(full).exists();
        var words = new ArrayList<>(Program.program());
        words.addAll(List.of(cli.withServer("queues", "list", "--all", "-o", "json")));

        var process = new ProcessBuilder(words).redirectOutput(full).start();

        assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip())
                .endsWith("The output could not be written.");
        assertThat(process.waitFor()).isEqualTo(1);
    }

    private static boolean ignoresInterrupts() throws IOException {
        var status = Path.of("/proc/self/status");
        return Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(line ->
                                (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
    }

    @Test
    void topShowsQueuesAndFailures() {
        assertThat(cli.done("top", "--once"))
                .startsWith("taskexec at " + api.uri(""))
                .contains("QUEUE", "default");
    }

    @Test
    void whoDoesNotAnswerOrRefusesIsSaidInASentence() throws Exception {
        var nobody = CommandRun.of(
                "configs",
                "list",
                "--url",
                "http://127.0.0.1:" + Program.freePort(),
                "--token-file",
                cli.tokenFile().toString());
        assertThat(nobody.code()).isEqualTo(4);
        assertThat(nobody.err()).contains("cannot connect").hasLineCount(1);
        var stranger = CommandRun.of(
                "configs",
                "list",
                "--url",
                api.uri("").toString(),
                "--token-file",
                cli.file("wrong-token", "te_wrong"));
        assertThat(stranger.code()).isEqualTo(1);
        assertThat(stranger.err()).contains("UNAUTHORIZED", "TE_TOKEN").hasLineCount(1);
    }

    @Test
    void everyCommandExplainsItselfAndCompletes() throws Exception {
        assertAllHelp(Main.commandLine(List.of("help")));
        for (var shell : List.of("bash", "zsh")) {
            var script = cli.file(
                    "completion." + shell, CommandRun.of("completion", shell).out());
            assertThat(new ProcessBuilder("bash", "-n", script)
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
        }
    }

    private static void assertAllHelp(CommandLine line) {
        var usage = line.getUsageMessage(CommandLine.Help.Ansi.OFF);
        assertThat(usage).startsWith("Usage: " + line.getCommandSpec().qualifiedName());
        assertThat(line.getCommandSpec().usageMessage().description()).as(usage).isNotEmpty();
        line.getSubcommands().values().forEach(CliOutputIT::assertAllHelp);
    }

    @Test
    void eachNounTakesItsIdsAsTheyArePrinted() throws Exception {
        api.config("ids", Map.of());
        api.secret("ids", "hunter2-hunter2");
        api.endpoint("ids", receiver.uri("/ids"), Map.of());
        var _ = api.create("/payload-specs", Map.of("name", "ids", "schema", Map.of()));
        var _ = api.immediate("ids", "ids");

        for (var noun : List.of("endpoints", "configs", "secrets", "specs", "jobs", "executions", "queues")) {
            var printed = cli.done(noun, "list", "--limit", "1", "-o", "name");
            assertThat(printed).startsWith(noun + "/").hasLineCount(1);
            assertThat(cli.done(noun, "get", printed.strip(), "-o", "name")).isEqualTo(printed);
        }
    }

    @Test
    void whatIsPrintedAsANameMayBeDeletedRevokedAndUpdated() throws Exception {
        api.config("named", Map.of());
        api.endpoint("named", receiver.uri("/named"), Map.of());
        var _ = cli.done("keys", "create", "--name", "named", "--scopes", "read");
        var key = cli.done("keys", "list", "--limit", "1", "-o", "name").strip();
        var job = cli.done("jobs", "create", "--endpoint", "named", "--every", "1h", "-o", "name")
                .strip();

        assertThat(cli.done("configs", "delete", "configs/named")).isEqualTo("config named is deleted.%n".formatted());
        assertThat(key).startsWith("keys/key_");
        assertThat(cli.done("keys", "revoke", key))
                .isEqualTo("Key %s is revoked.%n".formatted(key.substring("keys/".length())));
        assertThat(cli.json("jobs", "update", job, "--every", "2h")
                        .path("version")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void theLogOfAnExecutionTakesItsIdAsItIsPrinted() throws Exception {
        api.endpoint("logged", receiver.uri("/logged"), Map.of());
        var id = api.immediate("logged", "logged");
        assertThat(api.ended(id).getString("status")).isEqualTo("SUCCESS");

        assertThat(cli.done("logs", "executions/" + id)).startsWith("TIME").contains("MESSAGE");
        assertThat(cli.json("logs", "executions/" + id)).isNotEmpty();
    }

    @Test
    void aPathMayBeginWithoutAPoint() {
        api.config("pointless", Map.of("a", 1));

        assertThat(cli.done("configs", "get", "pointless", "-o", "jsonpath={name}{values.a}"))
                .isEqualTo("pointless1");
    }
}
