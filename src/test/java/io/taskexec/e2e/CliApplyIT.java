package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code taskexec apply} with a real server. */
@ServerTest(env = CliBed.EVENTS)
class CliApplyIT {
    private static final int CLIENTS = 10;

    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    private static CliBed cli;

    @BeforeAll
    static void setUp(@TempDir Path folder) throws IOException {
        cli = CliBed.in(folder, api);
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
    void aScheduleThatManyApplyAtOnceIsCreatedOnce() throws Exception {
        api.endpoint("apply-race", receiver.uri("/race"), Map.of());
        var file = cli.file("race.yaml", """
                kind: Job
                name: race
                endpoint: apply-race
                every: PT1H
                """);
        try (var clients = Executors.newFixedThreadPool(CLIENTS)) {
            Callable<CommandRun> apply = () -> cli.run("apply", "-f", file);
            for (var run : clients.invokeAll(Collections.nCopies(CLIENTS, apply))) {
                assertThat(run.get().code()).as(run.get().err()).isZero();
            }
        }
        assertThat(cli.json("jobs", "list", "--tag", "applied:race")).hasSize(1);
    }

    @Test
    void whatIsAppliedTwiceIsUnchangedAndADifferenceIsShownBeforeItIsMade() throws Exception {
        var manifest = cli.file("apply.yaml", manifest(3));
        var dry = cli.run("apply", "-f", manifest, "--dry-run", "--exit-code");
        assertThat(dry.code()).isEqualTo(3);
        assertThat(dry.out()).contains("+ Endpoint applied", "+   spec.method: \"POST\"", "4 created");
        assertThat(cli.run("endpoints", "get", "applied").code()).isEqualTo(1);

        var first = cli.done("apply", "-f", manifest);
        assertThat(first)
                .contains("+   value: (hidden)", "Job applied-job is created.")
                .doesNotContain("hunter2");
        assertThat(first.indexOf("Secret applied-key is")).isLessThan(first.indexOf("Endpoint applied is"));
        var second = cli.run("apply", "-f", manifest, "--dry-run", "--exit-code");
        assertThat(second.code()).as(second.out()).isZero();
        assertThat(cli.done("apply", "-f", manifest)).contains("Endpoint applied is unchanged.", "4 unchanged.");
        assertThat(cli.json("jobs", "list", "--tag", "applied:applied-job")).hasSize(1);

        var changed = cli.done("apply", "-f", cli.file("apply.yaml", manifest(5)), "--replace-secrets");
        assertThat(changed)
                .contains("-   retry_policy.max_attempts: 3", "+   retry_policy.max_attempts: 5")
                // Or the job would go on with the endpoint as it was.
                .contains("-   endpoint_version: 1", "+   endpoint_version: 2", "3 changed, 1 unchanged.");
        assertThat(cli.json("secrets", "get", "applied-key").path("version").asInt())
                .isEqualTo(2);
        assertThat(cli.json("jobs", "list", "--tag", "applied:applied-job", "--status", "active"))
                .singleElement()
                .satisfies(
                        job -> assertThat(job.path("endpoint_version").asInt()).isEqualTo(2));
        assertThat(cli.done("apply", "-f", cli.file("apply.yaml", manifest(5)))).contains("4 unchanged.");

        cli.done(
                "jobs",
                "cancel",
                cli.json("jobs", "list", "--tag", "applied:applied-job", "--status", "active")
                        .at("/0/job_id")
                        .asText());
        assertThat(cli.done("apply", "-f", manifest)).contains("Job applied-job is created.");
    }

    @Test
    void whatTheServerFillsInIsNoDifference() throws Exception {
        var manifest = cli.file("filled-in.yaml", """
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

        assertThat(cli.done("apply", "-f", manifest)).contains("5 created.");
        assertThat(cli.done("apply", "-f", manifest)).contains("5 unchanged.");
    }

    @Test
    void whatIsWrongWithAFileChangesNothing() throws Exception {
        var wrong = cli.run("apply", "-f", cli.file("wrong.yaml", """
                kind: Config
                name: never-made
                values: {}
                ---
                kind: Config
                name: misspelt
                valuse: {}
                """));
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.err())
                .contains("wrong.yaml:7: /valuse 'valuse' is not a known field", "Nothing has been changed.");
        assertThat(cli.run("configs", "get", "never-made").code()).isEqualTo(1);

        var refused = cli.run("apply", "-f", cli.file("refused.yaml", """
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
        assertThat(cli.run("apply", "-f", cli.file("empty.yaml", "# nothing\n")).code())
                .isEqualTo(2);
    }

    @Test
    void queuesComeBeforeWhatNamesThemAndAfterItWhenTheyAreRemoved() throws Exception {
        var job = "kind: Job\nname: queued-job\nendpoint: queued\nevery: 1h\nqueue: queued-own\n";
        var endpoint = """
                ---
                kind: Endpoint
                name: queued
                type: HTTP
                queue: queued-queue
                spec: {url: "http://127.0.0.1:9/", method: POST}
                """;
        var queues = """
                ---
                kind: Queue
                name: queued-queue
                weight: 5
                aging: 5m
                ---
                kind: Queue
                name: queued-own
                """;
        var all = cli.file("queued.yaml", job + endpoint + queues);
        assertThat(cli.done("apply", "-f", all, "--dry-run")).contains("+   weight: 5", "4 created");
        assertThat(cli.done("apply", "-f", all, "--set", "queued"))
                .containsSubsequence(
                        "Queue queued-own is", "Endpoint queued is created.", "Job queued-job is created.");
        assertThat(cli.done("apply", "-f", all, "--set", "queued")).contains("4 unchanged.");

        var without = job.replace("queue: queued-own\n", "");
        assertThat(cli.done("apply", "-f", cli.file("queued.yaml", without + endpoint + queues), "--set", "queued"))
                .contains("-   queue: \"queued-own\"", "+   queue: \"queued-queue\"", "1 changed, 3 unchanged.");
        var reweighed = cli.file("queued.yaml", without + endpoint + queues.replace("weight: 5", "weight: 6"));
        assertThat(cli.done("apply", "-f", reweighed, "--set", "queued"))
                .contains("-   weight: 5", "+   weight: 6", "1 changed, 3 unchanged.");

        var left = cli.file("queued.yaml", "kind: Queue\nname: queued-own\n");
        assertThat(cli.done("apply", "-f", left, "--set", "queued", "--prune"))
                .containsSubsequence("Endpoint queued is removed.", "Queue queued-queue is removed.");
        assertThat(cli.run("queues", "get", "queued-queue").code()).isEqualTo(1);
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

        var run = cli.run(
                "apply",
                "-f",
                cli.file("half.yaml", HALF_WRONG.replace("half-", "stopped-").replace("a: 1", "a: 2")));

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).endsWith("""
                Config stopped-config is created.
                Endpoint stopped-a is created.
                Endpoint stopped-b: failed.
                Job stopped-job: not tried.
                Stopped: 2 created, 1 failed, 1 not tried. The same command goes on from here.
                """);
        assertThat(run.err()).contains("half.yaml:14 /spec/headers/X-A").containsOnlyOnce("there is no secret");
        assertThat(cli.run("endpoints", "get", "stopped-a").code()).isZero();
        assertThat(cli.run("endpoints", "get", "stopped-b").code()).isEqualTo(1);
    }

    @Test
    void aDryRunIsCheckedByTheServerAndChangesNothing() throws Exception {
        var wrong = cli.run("apply", "-f", cli.file("dry.yaml", HALF_WRONG.replace("half-", "dry-")), "--dry-run");

        assertThat(wrong.code()).as(wrong.out() + wrong.err()).isEqualTo(1);
        assertThat(wrong.out())
                .contains("Endpoint dry-a cannot be checked to the end: it depends on Config dry-config of this run.")
                .contains("Job dry-job cannot be checked to the end: it depends on Endpoint dry-a of this run.");
        assertThat(wrong.err())
                .contains("Endpoint dry-b would be refused: ", "there is no secret 'never-there'")
                .endsWith("Nothing has been changed.%n".formatted());
        var right =
                HALF_WRONG.replace("half-", "dry-") + "---\nkind: Secret\nname: never-there\nvalue: hunter2-hunter2\n";
        var passed = cli.run("apply", "-f", cli.file("dry.yaml", right), "--dry-run");
        assertThat(passed.code()).as(passed.err()).isZero();
        assertThat(passed.out())
                .contains("Endpoint dry-b cannot be checked to the end: it depends on Secret never-there of this run.")
                .contains("Nothing is changed; it would be: 5 created.");
        for (var noun : List.of("configs", "endpoints", "secrets")) {
            assertThat(cli.done(noun, "list")).doesNotContain("dry-", "never-there");
        }
        assertThat(cli.json("jobs", "list", "--tag", "applied:dry-job")).isEmpty();
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
        cli.done("apply", "-f", cli.file("used.yaml", config + endpoint + job), "--set", "used");
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

        var removal =
                cli.run("apply", "-f", cli.file("used.yaml", endpoint + job), "--set", "used", "--prune", "--dry-run");

        assertThat(removal.code()).as(removal.out()).isEqualTo(1);
        assertThat(removal.err()).contains("Config used-config would be refused: ", "(CONFLICT)");
        var interval = cli.run(
                "apply",
                "-f",
                cli.file("used.yaml", config + endpoint + job + "ends_at: 2020-01-01T00:00:00Z\n"),
                "--dry-run");
        assertThat(interval.err()).contains("Job used-job would be refused: ", "INVALID_CRON");
        assertThat(cli.done(
                        "apply", "-f", cli.file("used.yaml", config + endpoint + job.replace("1h", "2h")), "--dry-run"))
                .contains("1 changed, 2 unchanged");
        assertThat(cli.json("jobs", "list", "--tag", "applied:used-job")).hasSize(1);
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
        cli.done("apply", "-f", cli.file("set.yaml", endpoint + job + config), "--set", "pruning");

        assertThat(cli.done("apply", "-f", cli.file("set.yaml", config), "--set", "pruning"))
                .contains("1 unchanged.");
        var dry = cli.done("apply", "-f", cli.file("set.yaml", config), "--set", "pruning", "--prune", "--dry-run");
        assertThat(dry).contains("- Job pruned-job", "- Endpoint pruned", "1 unchanged, 2 removed");
        assertThat(cli.done("apply", "-f", cli.file("set.yaml", config), "--set", "pruning", "--prune"))
                .containsSubsequence("Job pruned-job is removed.", "Endpoint pruned is removed.");

        assertThat(cli.run("endpoints", "get", "pruned").code()).isEqualTo(1);
        assertThat(cli.run("configs", "get", "of-somebody-else").code()).isZero();
        assertThat(cli.json("jobs", "list", "--tag", "applied:pruned-job", "--status", "active"))
                .isEmpty();
        assertThat(cli.done("apply", "-f", cli.file("set.yaml", config), "--set", "pruning", "--prune"))
                .contains("1 unchanged.");
        assertThat(cli.run("apply", "-f", cli.file("set.yaml", config), "--prune")
                        .err())
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
        cli.done("apply", "-f", cli.file("chain.yaml", endpoints + config), "--set", "chain");

        assertThat(cli.done("apply", "-f", cli.file("chain.yaml", config), "--set", "chain", "--prune"))
                .containsSubsequence("m-first is removed.", "a-second is removed.", "z-third is removed.");
    }

    @Test
    void aDryRunNamesOnlyWhatLetsGoOfWhatIsRemoved() throws Exception {
        var config = "kind: Config\nname: let-go\nvalues: {}\n---\n";
        var endpoints = """
                kind: Endpoint
                name: let-go-a
                type: HTTP
                config: let-go
                spec: {url: "http://127.0.0.1:9/", method: POST}
                ---
                kind: Endpoint
                name: let-go-b
                type: HTTP
                spec: {url: "http://127.0.0.1:9/b", method: POST}
                """;
        var without = endpoints.replace("config: let-go\n", "");
        cli.done("apply", "-f", cli.file("let-go.yaml", config + endpoints), "--set", "let-go");

        assertThat(cli.done("apply", "-f", cli.file("let-go.yaml", without), "--set", "let-go", "--prune", "--dry-run"))
                .contains("Config let-go cannot be checked to the end: it depends on Endpoint let-go-a of this run.");

        cli.done("apply", "-f", cli.file("let-go.yaml", without), "--set", "let-go");
        var other = new HashMap<>(Api.posting("let-go-z", receiver.uri("/z"), Map.of()));
        other.put("config", "let-go");
        var _ = api.create("/endpoints", other);
        var unrelated = cli.file("let-go.yaml", without.replace("127.0.0.1:9/b", "127.0.0.1:9/c"));
        var refused = cli.run("apply", "-f", unrelated, "--set", "let-go", "--prune", "--dry-run");
        assertThat(refused.code()).as(refused.out()).isEqualTo(1);
        assertThat(refused.err()).contains("Config let-go would be refused: ", "(CONFLICT)");
    }

    @Test
    void aWordHasOneSpellingWhetherItsEndpointIsThereOrNot() throws Exception {
        var right = """
                kind: Endpoint
                name: spelt
                type: HTTP
                spec: {url: "http://127.0.0.1:9/", method: POST}
                """;
        var wrong = cli.file("spelt-wrong.yaml", right.replace("POST", "post"));

        assertThat(cli.run("apply", "-f", wrong, "--dry-run").code()).isEqualTo(1);
        cli.done("apply", "-f", cli.file("spelt.yaml", right));
        assertThat(cli.run("apply", "-f", wrong, "--dry-run").err()).contains("did you mean");
    }
}
