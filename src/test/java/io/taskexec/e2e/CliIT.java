package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.Main;
import io.taskexec.cli.text.YamlReader;
import io.taskexec.model.Json;
import io.taskexec.model.VisibleText;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command line for people against one server; nearly all commands run within this process. */
class CliIT {
    private static final Pattern VARIABLE = Pattern.compile("(\\w+)=\\$\\((.*) \\| jq -r \\.(\\w+)\\)");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    private static final Receiver receiver = new Receiver();
    private static final Program program = Program.serving(ServerDb.fresh(CliIT.class))
            .with("TE_EVENTS_ENABLED", "true")
            .start();
    private static final Api api = program.api();

    @TempDir
    private static Path folder;

    private static Path tokenFile = Path.of("");

    @BeforeAll
    static void setUp() throws Exception {
        tokenFile = Files.writeString(folder.resolve("token"), Program.API_KEY + "\n");
        program.awaitReady();
    }

    @AfterAll
    static void stop() {
        program.close();
        receiver.close();
    }

    private static String[] withServer(String... arguments) {
        return Stream.concat(
                        Stream.of(arguments),
                        Stream.of("--url", api.uri("").toString(), "--token-file", tokenFile.toString()))
                .toArray(String[]::new);
    }

    private static CommandRun run(String... arguments) {
        return CommandRun.of(withServer(arguments));
    }

    /** What it prints when it goes well. */
    private static String done(String... arguments) {
        var run = run(arguments);
        assertThat(run.code())
                .as("%s: %s%s", String.join(" ", arguments), run.out(), run.err())
                .isZero();
        return run.out();
    }

    private static JsonNode json(String... arguments) throws IOException {
        var more = new ArrayList<>(List.of(arguments));
        more.addAll(List.of("-o", "json"));
        return Json.parse(done(more.toArray(String[]::new)));
    }

    private static String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void configsAndSpecsAreCreatedListedShownAndDeleted() throws Exception {
        for (var noun : Map.of("configs", "values: {a: {b: 1.50}}", "specs", "schema: {title: Things}")
                .entrySet()) {
            var text = "name: from-file\n%s\n---\nname: second\n%s\n".formatted(noun.getValue(), noun.getValue());
            assertThat(done(noun.getKey(), "create", "-f", file("two.yaml", text)))
                    .contains("from-file is created.", "second is created.");
            assertThat(done(noun.getKey(), "list")).startsWith("NAME").contains("second", "from-file", "now");
            assertThat(json(noun.getKey(), "list").findValuesAsText("name")).contains("second", "from-file");
            var shown = YamlReader.read("x", done(noun.getKey(), "get", "second", "-o", "yaml"))
                    .getFirst()
                    .tree();
            assertThat(shown).isEqualTo(json(noun.getKey(), "get", "second"));
            assertThat(done(noun.getKey(), "get", "second")).contains("version", "created_at");
            assertThat(done(noun.getKey(), "delete", "second", "from-file")).contains("second is deleted.");
            assertThat(json(noun.getKey(), "list").findValuesAsText("name")).doesNotContain("second", "from-file");
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
                                done("executions", "get", execution, "-o", format),
                                done("executions", "list", "--endpoint", name, "-o", format),
                                done("logs", "--endpoint", name, "-o", format)))
                        .as(format)
                        .allSatisfy(
                                text -> assertThat(VisibleText.hasHidden(text)).isFalse());
            }
            var said = Json.parse(api.get(path).asString());
            if (name.equals("cli-evil")) {
                assertThat(said.toString()).contains("\u202E");
                assertThat(done("executions", "get", execution)).contains("a\\u001b[2J\\u202eb");
            }
            assertThat(json("executions", "get", execution)).isEqualTo(said);
            assertThat(YamlReader.read("x", done("executions", "get", execution, "-o", "yaml"))
                            .getFirst()
                            .tree())
                    .isEqualTo(said);
        }
        var refused = run("endpoints", "get", evil);
        assertThat(refused.code()).isNotZero();
        assertThat(VisibleText.hasHidden(refused.out() + refused.err())).isFalse();
    }

    @Test
    void theValueOfASecretIsReadAndNeverShown() throws Exception {
        var created = CommandRun.withInput("hunter2-hunter2\n", withServer("secrets", "set", "cli-key"));
        assertThat(created.out()).isEqualTo("secret cli-key is created.%n".formatted());
        assertThat(CommandRun.withInput("other-value", withServer("secrets", "set", "cli-key"))
                        .out())
                .isEqualTo("secret cli-key has another value.%n".formatted());
        assertThat(CommandRun.withInput("third", withServer("secrets", "create", "cli-key"))
                        .code())
                .isEqualTo(1);

        assertThat(done("secrets", "list") + done("secrets", "get", "cli-key", "-o", "yaml"))
                .contains("cli-key", "version: 2")
                .doesNotContain("hunter2", "other-value");
        assertThat(done("secrets", "delete", "cli-key")).contains("is deleted");
    }

    @Test
    void anEndpointIsCreatedWithOptionsAndItsExecutionsAreFoundReplayedAndCancelled() throws Exception {
        receiver.answer(request -> Answer.of(request.path().equals("/cli-bad") ? 400 : 200, "{}"));
        for (var name : List.of("cli-good", "cli-bad")) {
            done(
                    "endpoints",
                    "create",
                    name,
                    "--to",
                    receiver.uri("/" + name).toString(),
                    "--body",
                    "{\"a\": 1}",
                    "-H",
                    "X-A=b");
        }
        assertThat(done("endpoints", "list")).contains("cli-good", "HTTP", "/cli-bad", "default");
        assertThat(done("endpoints", "get", "cli-good")).containsPattern("spec\\.headers\\.X-A +b\\R");
        assertThat(done("endpoints", "breaker", "cli-good")).containsPattern("state +CLOSED");
        assertThat(done("endpoints", "enable", "cli-good")).containsPattern("state +CLOSED");
        assertThat(done("endpoints", "events", "cli-good")).startsWith("AT");

        var job = json("jobs", "create", "--endpoint", "cli-bad", "--key", "bad-1", "--tag", "cli");
        var execution = job.at("/execution/execution_id").asText();
        assertThat(api.ended(execution).getString("status")).isEqualTo("FAILED");
        assertThat(done("jobs", "list", "--tag", "cli", "--status", "retired", "--created-from", "1h"))
                .contains(job.path("job_id").asText(), "IMMEDIATE", "FAILED");
        assertThat(json("executions", "list", "--status", "failed", "--endpoint", "cli-bad", "--retried", "false")
                        .findValuesAsText("execution_id"))
                .containsExactly(execution);
        assertThat(done("executions", "get", execution))
                .containsPattern("status +FAILED")
                .containsPattern("created_at +\\S+Z  \\(");
        assertThat(done("executions", "attempts", execution)).containsPattern("1 +FAILED .* 400 ");
        assertThat(done("logs", execution)).startsWith("TIME").contains("LEVEL", "MESSAGE");
        assertThat(json("logs", execution).isArray()).isTrue();
        try (var logs = new CommandRun.Running(withServer("logs", "-f", "--type", "FAILED", "--endpoint", "cli-bad"))) {
            logs.await("the failure as it is printed", printed -> printed.contains("FAILED       " + execution));
        }
        assertThat(run("logs", "--type", "faild").err()).contains("type", "types of events");

        var again = json("executions", "replay", execution).path("execution_id").asText();
        assertThat(api.ended(again).getString("status")).isEqualTo("FAILED");
        assertThat(json("executions", "get", execution).path("retried_as").asText())
                .isEqualTo(again);

        var later = json("jobs", "create", "--endpoint", "cli-good", "--delay", "1h", "--input", "{\"a\": 1.50}");
        var waiting = later.at("/execution/execution_id").asText();
        assertThat(done("executions", "cancel", waiting)).isEqualTo("execution " + waiting + " is cancelled.\n");
        assertThat(run("executions", "cancel", waiting).err()).contains("EXECUTION_NOT_CANCELLABLE");
        assertThat(run("endpoints", "delete", "cli-good").code()).isZero();
        assertThat(run("endpoints", "get", "cli-good").err()).contains("ENDPOINT_NOT_FOUND");
    }

    @Test
    void aScheduleIsCreatedPausedTriggeredAndEnded() throws Exception {
        api.endpoint("cli-schedule", receiver.uri("/schedule"), Map.of());
        var job = json(
                "jobs",
                "create",
                "--endpoint",
                "cli-schedule",
                "--cron",
                "0 9 * * *",
                "--tz",
                "Asia/Kolkata",
                "--input",
                "{\"n\": 1}");
        var id = job.path("job_id").asText();

        assertThat(done("jobs", "list", "--trigger", "cron", "--endpoint", "cli-schedule"))
                .contains("0 9 * * *", "in ");
        assertThat(json("jobs", "pause", id, "--reason", "a break")
                        .at("/pause/reason")
                        .asText())
                .isEqualTo("a break");
        assertThat(json("jobs", "resume", id).has("pause")).isFalse();
        var execution = json("jobs", "trigger", id).path("execution_id").asText();
        assertThat(api.ended(execution).getString("status")).isEqualTo("SUCCESS");
        assertThat(done("jobs", "executions", id)).contains(execution);
        assertThat(done("jobs", "versions", id)).contains(id);
        assertThat(done("jobs", "ticks", id)).startsWith("TICK");
        assertThat(json("jobs", "status", id).path("health").asText()).isEqualTo("HEALTHY");
        assertThat(done("jobs", "backfill", id, "--from", "2d", "--to", "1h")).containsPattern("fired +\\d");
        assertThat(json("jobs", "delete", id).path("status").asText()).isEqualTo("RETIRED");
    }

    @Test
    void pauseResumeAndCancelAnswerInOneLineAndAPausedScheduleSaysSoInsteadOfANextTime() throws Exception {
        api.endpoint("cli-paused", receiver.uri("/paused"), Map.of());
        var id = json("jobs", "create", "--endpoint", "cli-paused", "--every", "1h")
                .path("job_id")
                .asText();

        assertThat(done("jobs", "pause", id, "--reason", "a break")).isEqualTo("job " + id + " is paused: a break\n");
        assertThat(done("jobs", "list", "--endpoint", "cli-paused"))
                .containsPattern("PT1H +paused ")
                .doesNotContain(" in ");
        assertThat(done("jobs", "get", id)).containsPattern("next_run_at +paused\\R");
        assertThat(done("jobs", "pause", id, "--until", "2100-01-01T00:00:00Z"))
                .containsPattern("^job " + id + " is paused, ends in \\d+d\\.\\R$");
        assertThat(done("jobs", "list", "--endpoint", "cli-paused")).containsPattern("PT1H +paused, ends in \\d+d ");
        assertThat(done("jobs", "resume", id))
                .containsPattern("^job " + id + " is resumed; it runs in \\S+ \\(20\\S+Z\\)\\.\\R$");
        assertThat(done("jobs", "get", id)).containsPattern("next_run_at +20");
        assertThat(done("jobs", "cancel", id, "--wait")).isEqualTo("job " + id + " is cancelled.\n");
    }

    @Test
    void aJobIsWaitedForAndTheExitCodeSaysHowItEnded() throws Exception {
        receiver.answer(request -> Answer.of(request.path().equals("/wait-bad") ? 400 : 200, "{}"));
        api.endpoint("wait-good", receiver.uri("/wait-good"), Map.of());
        api.endpoint("wait-bad", receiver.uri("/wait-bad"), Map.of());

        var good = run("jobs", "create", "--endpoint", "wait-good", "--input", "{\"n\": 1}", "--wait");
        assertThat(good.code()).as(good.out() + good.err()).isZero();
        assertThat(good.out())
                .containsPattern(
                        "^job job_\\w+ is created\\.\\Rexecution exec_\\w+ has ended: SUCCESS after 1 attempt\\.\\R$");
        var bad = run("jobs", "create", "--endpoint", "wait-bad", "--input", "{\"n\": 1}", "--wait", "-o", "name");
        assertThat(bad.code()).isEqualTo(1);
        assertThat(bad.out()).containsPattern("^jobs/job_\\w+\\R$");
        var failed = run("executions", "replay", bad.out().strip().replace("jobs/job_", "executions/exec_"), "--wait");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.out())
                .containsPattern(
                        "^execution exec_\\w+ is created\\.\\Rexecution exec_\\w+ has ended: FAILED after 1 attempt: ");

        var late = run("jobs", "create", "--endpoint", "wait-good", "--delay", "1h", "--wait", "--timeout", "1s");
        assertThat(late.code()).isEqualTo(5);
        assertThat(late.err()).containsPattern("^execution exec_\\w+ has not ended after 1s\\.\\R$");
        assertThat(run("jobs", "create", "--endpoint", "wait-good", "--every", "1h", "--wait")
                        .err())
                .startsWith("--wait cannot be given with a schedule");
        assertThat(run("jobs", "create", "--endpoint", "wait-good", "--timeout", "1s")
                        .err())
                .startsWith("--timeout cannot be given without --wait");
    }

    @Test
    void whatIsPrintedForProgramsIsNamesPartsOrATableWithoutTitles() throws Exception {
        for (var i = 1; i < 3; i++) {
            api.config("form-" + i, Map.of("a", i));
        }
        assertThat(done("configs", "list", "-o", "name").lines()).contains("configs/form-1", "configs/form-2");
        assertThat(done("configs", "get", "configs/form-1", "-o", "name")).isEqualTo("configs/form-1\n");
        assertThat(done("configs", "get", "form-2", "-o", "jsonpath={.values.a}{\"\\n\"}"))
                .isEqualTo("2\n");
        assertThat(done("configs", "list", "-o", "jsonpath={.items[?(@.name==\"form-2\")].values.a}"))
                .isEqualTo("2");
        assertThat(done("configs", "list", "--no-headers")).contains("form-1").doesNotContain("NAME", "VERSION");
        assertThat(run("configs", "list", "-o", "jsonpath={.items[").err()).contains("is not a path in braces");
        assertThat(run("configs", "list", "-o", "xml").err()).contains("expected table, json, yaml, name or jsonpath");
        assertThat(run("configs", "list", "-o", "json", "--no-headers").err())
                .startsWith("--no-headers cannot be given with -o");
        assertThat(done("specs", "create", "-o", "name", "-f", file("spec.yaml", "name: form\nschema: {}\n")))
                .isEqualTo("specs/form\n");
    }

    @Test
    void anUpdateOfAScheduleKeepsWhatItDoesNotName() {
        api.endpoint("cli-update", receiver.uri("/update"), Map.of());
        var job = api.create("/jobs", """
                {"endpoint": "cli-update", "trigger": "CRON", "cron": "0 9 * * *", "timezone": "Asia/Kolkata",
                 "ends_at": "2040-01-01T00:00:00Z", "max_fires": 7, "input": {"n": 1, "m": 2}}
                """).getString("job_id");

        var sentence =
                done("jobs", "update", job, "--cron", "30 9 * * *", "--input", "{\"m\": 3}", "--unset", "max_fires");

        var next = api.read("/jobs/" + job).getString("replaced_by_id");
        assertThat(sentence).isEqualTo("job %s is version 2 and has replaced %s.%n".formatted(next, job));
        var shown = api.read("/jobs/" + next);
        assertThat(shown.getString("cron")).isEqualTo("30 9 * * *");
        assertThat(shown.getString("timezone")).isEqualTo("Asia/Kolkata");
        assertThat(shown.getString("ends_at")).isEqualTo("2040-01-01T00:00:00Z");
        assertThat(shown.getString("max_fires")).isNull();
        assertThat(shown.getMap("input")).isEqualTo(Map.of("n", 1, "m", 3));
        assertThat(done("jobs", "update", next, "--tz", "Asia/Kolkata")).contains("is like that already");
        assertThat(run("jobs", "update", next).err()).contains("Say what changes");
        assertThat(run("jobs", "update", job, "--priority", "1").err()).contains("JOB_NOT_UPDATABLE");
        assertThat(done("jobs", "delete", next)).isEqualTo("job %s is cancelled.%n".formatted(next));
    }

    @Test
    void listsComeInPagesOnlyAsFarAsTheyAreAskedFor() throws Exception {
        for (var i = 0; i < 3; i++) {
            api.config("paged-" + i, Map.of());
        }

        var some = run("configs", "list", "--limit", "2");
        assertThat(some.out().lines()).hasSize(3);
        assertThat(some.err()).contains("There are more: --all");
        assertThat(json("configs", "list", "--all").findValuesAsText("name")).contains("paged-0", "paged-1", "paged-2");
        assertThat(run("configs", "list", "--limit", "0").code()).isEqualTo(2);
    }

    @Test
    void aWatchedListTellsOfWhatHasChanged() throws Exception {
        api.config("watched", Map.of("a", 1));
        try (var watch = new CommandRun.Running(
                withServer("configs", "list", "--watch", "--interval", "PT0.1S", "-o", "json"))) {
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
        try (var watch =
                new CommandRun.Running(withServer("configs", "get", "looked-at", "--watch", "--interval", "PT0.1S"))) {
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
        var watch = Program.command(withServer("configs", "list", "--watch")).start();
        Eventually.await(
                "the first look", Duration.ofSeconds(20), () -> watch.out().contains("interrupted"));

        watch.interrupt();

        assertThat(watch.awaitExit()).isEqualTo(130);
        assertThat(watch.err()).isEmpty();
    }

    private static boolean ignoresInterrupts() throws IOException {
        var status = Path.of("/proc/self/status");
        return Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(line ->
                                (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
    }

    private static String manifest(int attempts) {
        return """
                kind: Job
                name: applied-job
                endpoint: applied
                cron: "0 3 * * *"
                timezone: Europe/Berlin
                input: {n: 1}
                ---
                kind: Endpoint
                name: applied
                type: HTTP
                config: applied-config
                spec:
                  url: "{{config.url}}"
                  method: POST
                  headers: {X-Key: "{{secret.applied-key}}"}
                retry_policy:
                  max_attempts: %d
                ---
                kind: Config
                name: of-apply
                values: {url: "%s"}
                ---
                kind: Secret
                name: applied-key
                value: hunter2-hunter2
                """.formatted(attempts, receiver.uri("/applied")).replace("applied-config", "of-apply");
    }

    @Test
    void whatIsAppliedTwiceIsUnchangedAndADifferenceIsShownBeforeItIsMade() throws Exception {
        var manifest = file("apply.yaml", manifest(3));
        var dry = run("apply", "-f", manifest, "--dry-run", "--exit-code");
        assertThat(dry.code()).isEqualTo(3);
        assertThat(dry.out()).contains("+ Endpoint applied", "+   spec.method: \"POST\"", "4 created");
        assertThat(run("endpoints", "get", "applied").code()).isEqualTo(1);

        var first = done("apply", "-f", manifest);
        assertThat(first)
                .contains("+   value: (hidden)", "Job applied-job is created.")
                .doesNotContain("hunter2");
        assertThat(first.indexOf("Secret applied-key is")).isLessThan(first.indexOf("Endpoint applied is"));
        var second = run("apply", "-f", manifest, "--dry-run", "--exit-code");
        assertThat(second.code()).as(second.out()).isZero();
        assertThat(done("apply", "-f", manifest)).contains("Endpoint applied is unchanged.", "4 unchanged.");
        assertThat(json("jobs", "list", "--tag", "applied:applied-job")).hasSize(1);

        var changed = done("apply", "-f", file("apply.yaml", manifest(5)), "--replace-secrets");
        assertThat(changed)
                .contains("-   retry_policy.max_attempts: 3", "+   retry_policy.max_attempts: 5")
                // Or the job would go on with the endpoint as it was.
                .contains("-   endpoint_version: 1", "+   endpoint_version: 2", "3 changed, 1 unchanged.");
        assertThat(json("secrets", "get", "applied-key").path("version").asInt())
                .isEqualTo(2);
        assertThat(json("jobs", "list", "--tag", "applied:applied-job", "--status", "active"))
                .singleElement()
                .satisfies(
                        job -> assertThat(job.path("endpoint_version").asInt()).isEqualTo(2));
        assertThat(done("apply", "-f", file("apply.yaml", manifest(5)))).contains("4 unchanged.");

        done(
                "jobs",
                "cancel",
                json("jobs", "list", "--tag", "applied:applied-job", "--status", "active")
                        .at("/0/job_id")
                        .asText());
        assertThat(done("apply", "-f", manifest)).contains("Job applied-job is created.");
    }

    @Test
    void whatTheServerFillsInIsNoDifference() throws Exception {
        var manifest = file("filled-in.yaml", """
                kind: PayloadSpec
                name: filled-in
                schema: {type: object, required: [n], properties: {n: {type: integer}}}
                ---
                kind: Endpoint
                name: filled-in-kafka
                type: KAFKA
                payload_spec: filled-in
                spec:
                  bootstrap_servers: 127.0.0.1:9092
                  topic: things
                  key_template: "{{input.n}}"
                  value_template: {n: "{{input.n}}"}
                  cloud_events: true
                retry_policy: {max_attempts: 3, initial_delay_ms: 90000}
                ---
                kind: Endpoint
                name: filled-in-redis
                type: REDIS_STREAM
                spec:
                  redis_url: redis://127.0.0.1:6379
                  stream: things
                  fields_template: {n: "{{input.n}}"}
                  max_len: 1000
                on_failure: filled-in-kafka
                ---
                kind: Job
                name: filled-in-cron
                endpoint: filled-in-kafka
                cron: "30 2 * * *"
                timezone: Europe/Berlin
                dst: {overlap: BOTH}
                catch_up: {window: 2h}
                overlap: SKIP
                jitter: 90s
                max_fires: 1000
                ends_at: 2100-01-01T00:00:00+01:00
                input: {n: 1}
                ---
                kind: Job
                name: filled-in-every
                endpoint: filled-in-redis
                every: 90m
                catch_up: {mode: LATEST}
                tags: [b, a]
                priority: 1
                """);

        assertThat(done("apply", "-f", manifest)).contains("5 created.");
        assertThat(done("apply", "-f", manifest)).contains("5 unchanged.");
    }

    @Test
    void whatIsWrongWithAFileChangesNothing() throws Exception {
        var wrong = run("apply", "-f", file("wrong.yaml", """
                kind: Config
                name: never-made
                values: {}
                ---
                kind: Config
                name: misspelt
                valuse: {}
                """));
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.err()).contains("wrong.yaml:7: /valuse there is no field", "Nothing has been changed.");
        assertThat(run("configs", "get", "never-made").code()).isEqualTo(1);

        var refused = run("apply", "-f", file("refused.yaml", """
                kind: Endpoint
                name: refused
                type: HTTP
                spec:
                  url: http://127.0.0.1
                  method: POST
                  timeout_ms: -1
                """));
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err())
                .contains("refused.yaml:7 /spec/timeout_ms: must be a whole number")
                .containsOnlyOnce("must be");
        assertThat(run("apply", "-f", file("empty.yaml", "# nothing\n")).code()).isEqualTo(2);
    }

    private static final String HALF_WRONG = """
            kind: Config
            name: half-config
            values: {a: 1}
            ---
            kind: Endpoint
            name: half-a
            type: HTTP
            config: half-config
            spec: {url: "http://127.0.0.1:9/{{config.a}}", method: POST}
            ---
            kind: Endpoint
            name: half-b
            type: HTTP
            spec: {url: "http://127.0.0.1:9/", method: POST, headers: {X-A: "{{secret.never-there}}"}}
            ---
            kind: Job
            name: half-job
            endpoint: half-a
            every: 1h
            """;

    @Test
    void anApplyThatTheServerRefusesSaysWhatHasBecomeOfEachResource() throws Exception {
        api.config("half-config", Map.of("a", 1));

        var run = run(
                "apply",
                "-f",
                file("half.yaml", HALF_WRONG.replace("half-", "stopped-").replace("a: 1", "a: 2")));

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).endsWith("""
                Config stopped-config is created.
                Endpoint stopped-a is created.
                Endpoint stopped-b: failed.
                Job stopped-job: not tried.
                Stopped: 2 created, 1 failed, 1 not tried. The same command goes on from here.
                """);
        assertThat(run.err()).contains("half.yaml:14 /spec/headers/X-A").containsOnlyOnce("there is no secret");
        assertThat(run("endpoints", "get", "stopped-a").code()).isZero();
        assertThat(run("endpoints", "get", "stopped-b").code()).isEqualTo(1);
    }

    @Test
    void aDryRunIsCheckedByTheServerAndChangesNothing() throws Exception {
        var wrong = run("apply", "-f", file("dry.yaml", HALF_WRONG.replace("half-", "dry-")), "--dry-run");

        assertThat(wrong.code()).as(wrong.out() + wrong.err()).isEqualTo(1);
        assertThat(wrong.out())
                .contains("Endpoint dry-a cannot be checked to the end: it depends on Config dry-config of this run.")
                .contains("Job dry-job cannot be checked to the end: it depends on Endpoint dry-a of this run.");
        assertThat(wrong.err())
                .contains("Endpoint dry-b would be refused: ", "there is no secret 'never-there'")
                .endsWith("Nothing has been changed.%n".formatted());
        var right =
                HALF_WRONG.replace("half-", "dry-") + "---\nkind: Secret\nname: never-there\nvalue: hunter2-hunter2\n";
        var passed = run("apply", "-f", file("dry.yaml", right), "--dry-run");
        assertThat(passed.code()).as(passed.err()).isZero();
        assertThat(passed.out())
                .contains("Endpoint dry-b cannot be checked to the end: it depends on Secret never-there of this run.")
                .contains("Nothing is changed; it would be: 5 created.");
        for (var noun : List.of("configs", "endpoints", "secrets")) {
            assertThat(done(noun, "list")).doesNotContain("dry-", "never-there");
        }
        assertThat(json("jobs", "list", "--tag", "applied:dry-job")).isEmpty();
    }

    @Test
    void aDryRunFindsWhatIsInUseAndWhatHasChangedSince() throws Exception {
        var config = "kind: Config\nname: used-config\nvalues: {a: 1}\n";
        var endpoint = """
                ---
                kind: Endpoint
                name: used
                type: HTTP
                config: used-config
                spec: {url: "http://127.0.0.1:9/", method: POST}
                """;
        var job = "---\nkind: Job\nname: used-job\nendpoint: used\nevery: 1h\n";
        done("apply", "-f", file("used.yaml", config + endpoint + job), "--set", "used");
        var _ = api.create(
                "/endpoints",
                Map.of(
                        "name",
                        "another-user",
                        "type",
                        "HTTP",
                        "config",
                        "used-config",
                        "spec",
                        Map.of("url", "http://127.0.0.1:9/", "method", "POST")));

        var removal = run("apply", "-f", file("used.yaml", endpoint + job), "--set", "used", "--prune", "--dry-run");

        assertThat(removal.code()).as(removal.out()).isEqualTo(1);
        assertThat(removal.err()).contains("Config used-config would be refused: ", "(CONFLICT)");
        var interval = run(
                "apply",
                "-f",
                file("used.yaml", config + endpoint + job + "ends_at: 2020-01-01T00:00:00Z\n"),
                "--dry-run");
        assertThat(interval.err()).contains("Job used-job would be refused: ", "INVALID_CRON");
        assertThat(done("apply", "-f", file("used.yaml", config + endpoint + job.replace("1h", "2h")), "--dry-run"))
                .contains("1 changed, 2 unchanged");
        assertThat(json("jobs", "list", "--tag", "applied:used-job")).hasSize(1);
    }

    @Test
    void aSetIsPrunedOfWhatNoFileHasAnyMoreAndOfNothingElse() throws Exception {
        api.config("of-somebody-else", Map.of());
        var endpoint = """
                kind: Endpoint
                name: pruned
                type: HTTP
                spec: {url: "%s", method: POST}
                """.formatted(receiver.uri("/pruned"));
        var job = "---\nkind: Job\nname: pruned-job\nendpoint: pruned\nevery: 1h\n";
        var config = "---\nkind: Config\nname: pruned-config\nvalues: {}\n";
        done("apply", "-f", file("set.yaml", endpoint + job + config), "--set", "pruning");

        assertThat(done("apply", "-f", file("set.yaml", config), "--set", "pruning"))
                .contains("1 unchanged.");
        var dry = done("apply", "-f", file("set.yaml", config), "--set", "pruning", "--prune", "--dry-run");
        assertThat(dry).contains("- Job pruned-job", "- Endpoint pruned", "1 unchanged, 2 removed");
        assertThat(done("apply", "-f", file("set.yaml", config), "--set", "pruning", "--prune"))
                .containsSubsequence("Job pruned-job is removed.", "Endpoint pruned is removed.");

        assertThat(run("endpoints", "get", "pruned").code()).isEqualTo(1);
        assertThat(run("configs", "get", "of-somebody-else").code()).isZero();
        assertThat(json("jobs", "list", "--tag", "applied:pruned-job", "--status", "active"))
                .isEmpty();
        assertThat(done("apply", "-f", file("set.yaml", config), "--set", "pruning", "--prune"))
                .contains("1 unchanged.");
        assertThat(run("apply", "-f", file("set.yaml", config), "--prune").err())
                .contains("--prune needs --set");
    }

    @Test
    void anEndpointIsPrunedBeforeThoseThatItsResultsArePassedOnTo() throws Exception {
        var endpoints = Map.of("m-first", "on_success: a-second", "a-second", "on_failure: z-third", "z-third", "")
                .entrySet()
                .stream()
                .map(one -> "kind: Endpoint\nname: %s\ntype: HTTP\nspec: {url: '%s', method: POST}\n%s\n---\n"
                        .formatted(one.getKey(), receiver.uri("/chain"), one.getValue()))
                .collect(Collectors.joining());
        var config = "kind: Config\nname: chain-config\nvalues: {}\n";
        done("apply", "-f", file("chain.yaml", endpoints + config), "--set", "chain");

        assertThat(done("apply", "-f", file("chain.yaml", config), "--set", "chain", "--prune"))
                .containsSubsequence("m-first is removed.", "a-second is removed.", "z-third is removed.");
    }

    @Test
    void theJobsOfAFileAreSentInBatchesAndWhatIsRefusedIsNamedWithItsLine() throws Exception {
        api.endpoint("cli-lines", receiver.uri("/lines"), Map.of());
        var lines = new StringBuilder();
        for (var i = 0; i < 1500; i++) {
            lines.append(
                    "{\"endpoint\":\"cli-lines\",\"trigger\":\"DELAYED\",\"delay\":\"P9D\",\"idempotency_key\":\"l-%d\",\"input\":{\"n\":1}}%n"
                            .formatted(i));
        }
        var good = file("good.ndjson", lines.toString());

        assertThat(done("jobs", "create", "-f", good)).startsWith("1500 created, 0 were there already, 0 refused.");
        var mixed = run("jobs", "create", "-f", file("mixed.jsonl", """
                {"endpoint":"cli-lines","trigger":"DELAYED","delay":"P9D","idempotency_key":"l-0","input":{"n":1}}

                {"endpoint":"nowhere","trigger":"IMMEDIATE","idempotency_key":"l-x"}
                {"endpoint":"cli-lines","idempotency_key":"l-y"}
                {"endpoint":
                """));
        assertThat(mixed.code()).isEqualTo(1);
        assertThat(mixed.out()).startsWith("0 created, 1 were there already, 3 refused.");
        assertThat(mixed.err())
                .contains(
                        "mixed.jsonl:3: ",
                        "ENDPOINT_NOT_FOUND",
                        "mixed.jsonl:4: /trigger: is required",
                        "mixed.jsonl:5: This is no JSON");
        assertThat(json("queues", "get", "default").path("scheduled").asLong()).isGreaterThanOrEqualTo(1500);
        assertThat(done("queues", "list")).startsWith("NAME").contains("MORE", "default");
        assertThat(run("queues", "get", "defautl").err()).contains("There is no queue 'defautl'");
        assertThat(run("queues", "get", "defautl").code()).isEqualTo(1);
    }

    @Test
    void aLineThatIsTooLongOrNoTextIsRefusedAloneAndAFolderIsNoFile() throws Exception {
        api.endpoint("cli-odd", receiver.uri("/odd"), Map.of());
        var job =
                "{\"endpoint\":\"cli-odd\",\"trigger\":\"DELAYED\",\"delay\":\"P9D\",\"idempotency_key\":\"o-%s\",\"input\":\"%s\"}\n";
        // As long as a request may be: alone in its batch.
        var longest = 1024 * 1024
                - "{\"jobs\":[]}".length()
                - job.formatted("max", "").length()
                + 1;
        var text = job.formatted("1", "")
                + job.formatted("max", "x".repeat(longest))
                + job.formatted("2", "")
                + job.formatted("3", "x".repeat(1 << 20))
                + job.formatted("4", "\u00ff")
                + job.formatted("5", "y");
        var odd = Files.write(folder.resolve("odd.ndjson"), text.getBytes(StandardCharsets.ISO_8859_1));

        var run = run("jobs", "create", "-f", odd.toString());

        assertThat(run.out()).as(run.err()).startsWith("4 created, 0 were there already, 2 refused.");
        assertThat(run.err())
                .contains("odd.ndjson:4: This has more than 1048565 bytes", "odd.ndjson:5: This is not UTF-8.");
        assertThat(run.code()).isEqualTo(1);
        var of = Files.createDirectory(folder.resolve("a-folder.ndjson"));
        var noFile = run("jobs", "create", "-f", of.toString());
        assertThat(noFile.code()).isEqualTo(2);
        assertThat(noFile.err()).contains("The file " + of + " cannot be read.");
    }

    @Test
    void topShowsQueuesAndFailures() {
        assertThat(done("top", "--once"))
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
                tokenFile.toString());
        assertThat(nobody.code()).isEqualTo(4);
        assertThat(nobody.err()).contains("no connection can be made").hasLineCount(1);
        var stranger = CommandRun.of(
                "configs", "list", "--url", api.uri("").toString(), "--token-file", file("wrong-token", "te_wrong"));
        assertThat(stranger.code()).isEqualTo(1);
        assertThat(stranger.err()).contains("UNAUTHORIZED", "TE_TOKEN").hasLineCount(1);
    }

    @Test
    void everyCommandExplainsItselfAndCompletes() throws Exception {
        assertAllHelp(Main.commandLine());
        for (var shell : List.of("bash", "zsh")) {
            var script = file(
                    "completion." + shell, CommandRun.of("completion", shell).out());
            assertThat(new ProcessBuilder("bash", "-n", script)
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
        }
        assertThat(CommandRun.of("completion", "fish").out().lines())
                .allSatisfy(line -> assertThat(line).startsWith("complete -c taskexec "))
                .anySatisfy(line -> assertThat(line).contains("__fish_seen_subcommand_from jobs", "'pause'"));
    }

    private static void assertAllHelp(CommandLine line) {
        var usage = line.getUsageMessage(CommandLine.Help.Ansi.OFF);
        assertThat(usage).startsWith("Usage: " + line.getCommandSpec().qualifiedName());
        assertThat(line.getCommandSpec().usageMessage().description()).as(usage).isNotEmpty();
        line.getSubcommands().values().forEach(CliIT::assertAllHelp);
    }

    /** A document is true when each of its lines can be typed, in its order. */
    @Test
    void everyLineOfTheDocumentWorks() throws Exception {
        var document = CliDocument.read(Path.of("docs/cli.md"));
        var reader = Files.createDirectories(folder.resolve("reader"));
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
        assertThat(done("apply", "-f", reader.resolve("shop.yaml").toString())).contains("4 unchanged.");
    }

    private static void prepareProfile(Path reader, String text) throws IOException {
        var file = Files.createDirectories(reader.resolve("taskexec")).resolve("config.yaml");
        Files.writeString(
                file,
                text.replace("http://127.0.0.1:8080", api.uri("").toString())
                        .replace(".taskexec/api-key", tokenFile.toString()));
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
            var printed = done(words(assignment.group(2), reader, variables));
            variables.put(
                    assignment.group(1),
                    Json.parse(printed).path(assignment.group(3)).asText());
        } else if (line.contains("--profile")) {
            var process = Program.command(words(line, reader, variables))
                    .with("XDG_CONFIG_HOME", reader.toString())
                    .run();
            assertThat(process.awaitExit()).as(process.output()).isZero();
        } else if (line.contains(" --watch") || line.endsWith(" -f") || line.endsWith(" top")) {
            try (var live = new CommandRun.Running(withServer(words(line, reader, variables)))) {
                live.await(line, text -> !text.isEmpty());
                assertThat(live.stop()).as(line).isZero();
            }
        } else {
            var parts = line.split(" < ", 2);
            var input = parts.length == 1 ? "" : Files.readString(reader.resolve(parts[1]));
            var run = CommandRun.withInput(input, withServer(words(parts[0], reader, variables)));
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
