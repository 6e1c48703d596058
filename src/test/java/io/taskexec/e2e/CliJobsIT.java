package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Endpoints, jobs and executions on the command line. */
@ServerTest(env = CliBed.EVENTS)
class CliJobsIT {
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
    void anEndpointIsCreatedWithOptionsAndItsExecutionsAreFoundReplayedAndCancelled() throws Exception {
        receiver.answer(request -> Answer.of(request.path().equals("/cli-bad") ? 400 : 200, "{}"));
        for (var name : List.of("cli-good", "cli-bad")) {
            cli.done(
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
        assertThat(cli.done("endpoints", "list")).contains("cli-good", "HTTP", "/cli-bad", "default");
        assertThat(cli.done("endpoints", "get", "cli-good")).containsPattern("spec\\.headers\\.X-A +b\\R");
        assertThat(cli.done("endpoints", "breaker", "cli-good")).containsPattern("state +CLOSED");
        assertThat(cli.done("endpoints", "enable", "cli-good")).containsPattern("state +CLOSED");
        assertThat(cli.done("endpoints", "events", "cli-good")).startsWith("AT");

        var job = cli.json("jobs", "create", "--endpoint", "cli-bad", "--key", "bad-1", "--tag", "cli");
        var execution = job.at("/execution/execution_id").asText();
        assertThat(api.ended(execution).getString("status")).isEqualTo("FAILED");
        assertThat(cli.done("jobs", "list", "--tag", "cli", "--status", "retired", "--created-from", "1h"))
                .contains(job.path("job_id").asText(), "IMMEDIATE", "FAILED");
        assertThat(cli.json("executions", "list", "--status", "failed", "--endpoint", "cli-bad", "--retried", "false")
                        .findValuesAsText("execution_id"))
                .containsExactly(execution);
        assertThat(cli.done("executions", "get", execution))
                .containsPattern("status +FAILED")
                .containsPattern("created_at +\\S+Z  \\(");
        assertThat(cli.done("executions", "attempts", execution)).containsPattern("1 +FAILED .* 400 ");
        assertThat(cli.done("logs", execution)).startsWith("TIME").contains("LEVEL", "MESSAGE");
        assertThat(cli.json("logs", execution).isArray()).isTrue();
        try (var logs =
                new CommandRun.Running(cli.withServer("logs", "-f", "--type", "FAILED", "--endpoint", "cli-bad"))) {
            logs.await("the failure as it is printed", printed -> printed.contains("FAILED       " + execution));
        }
        assertThat(cli.run("logs", "--type", "faild").err()).contains("type", "types of events");

        var again =
                cli.json("executions", "replay", execution).path("execution_id").asText();
        assertThat(api.ended(again).getString("status")).isEqualTo("FAILED");
        assertThat(cli.json("executions", "get", execution).path("retried_as").asText())
                .isEqualTo(again);

        var later = cli.json("jobs", "create", "--endpoint", "cli-good", "--delay", "1h", "--input", "{\"a\": 1.50}");
        var waiting = later.at("/execution/execution_id").asText();
        assertThat(cli.done("executions", "cancel", waiting)).isEqualTo("execution " + waiting + " is cancelled.\n");
        assertThat(cli.run("executions", "cancel", waiting).err()).contains("EXECUTION_NOT_CANCELLABLE");
        assertThat(cli.run("endpoints", "delete", "cli-good").code()).isZero();
        assertThat(cli.run("endpoints", "get", "cli-good").err()).contains("ENDPOINT_NOT_FOUND");
    }

    @Test
    void aScheduleIsCreatedPausedTriggeredAndEnded() throws Exception {
        api.endpoint("cli-schedule", receiver.uri("/schedule"), Map.of());
        var job = cli.json(
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

        assertThat(cli.done("jobs", "list", "--trigger", "cron", "--endpoint", "cli-schedule"))
                .contains("0 9 * * *", "in ");
        assertThat(cli.json("jobs", "pause", id, "--reason", "a break")
                        .at("/pause/reason")
                        .asText())
                .isEqualTo("a break");
        assertThat(cli.json("jobs", "resume", id).has("pause")).isFalse();
        var execution = cli.json("jobs", "trigger", id).path("execution_id").asText();
        assertThat(api.ended(execution).getString("status")).isEqualTo("SUCCESS");
        assertThat(cli.done("jobs", "executions", id)).contains(execution);
        assertThat(cli.done("jobs", "versions", id)).contains(id);
        assertThat(cli.done("jobs", "ticks", id)).startsWith("TICK");
        assertThat(cli.json("jobs", "status", id).path("health").asText()).isEqualTo("HEALTHY");
        assertThat(cli.done("jobs", "backfill", id, "--from", "2d", "--to", "1h"))
                .containsPattern("fired +\\d");
        assertThat(cli.json("jobs", "delete", id).path("status").asText()).isEqualTo("RETIRED");
    }

    @Test
    void pauseResumeAndCancelAnswerInOneLineAndAPausedScheduleSaysSoInsteadOfANextTime() throws Exception {
        api.endpoint("cli-paused", receiver.uri("/paused"), Map.of());
        var id = cli.json("jobs", "create", "--endpoint", "cli-paused", "--every", "1h")
                .path("job_id")
                .asText();

        assertThat(cli.done("jobs", "pause", id, "--reason", "a break"))
                .isEqualTo("job " + id + " is paused: a break\n");
        assertThat(cli.done("jobs", "list", "--endpoint", "cli-paused"))
                .containsPattern("PT1H +paused ")
                .doesNotContain(" in ");
        assertThat(cli.done("jobs", "get", id)).containsPattern("next_run_at +paused\\R");
        assertThat(cli.done("jobs", "pause", id, "--until", "2100-01-01T00:00:00Z"))
                .containsPattern("^job " + id + " is paused, ends in \\d+d\\.\\R$");
        assertThat(cli.done("jobs", "list", "--endpoint", "cli-paused"))
                .containsPattern("PT1H +paused, ends in \\d+d ");
        assertThat(cli.done("jobs", "resume", id))
                .containsPattern("^job " + id + " is resumed; it runs in \\S+ \\(20\\S+Z\\)\\.\\R$");
        assertThat(cli.done("jobs", "get", id)).containsPattern("next_run_at +20");
        assertThat(cli.done("jobs", "cancel", id, "--wait")).isEqualTo("job " + id + " is cancelled.\n");
    }

    @Test
    void aCancellationThatWaitsEndsWithWhatTheScheduleStillRuns() throws Exception {
        var release = new CompletableFuture<Void>();
        receiver.clear();
        receiver.answer(Answer.of(200, "{}").after(release));
        api.endpoint("cli-slow", receiver.uri("/slow"), Map.of());
        var id = cli.json("jobs", "create", "--endpoint", "cli-slow", "--every", "1h", "--input", "{\"n\": 1}")
                .path("job_id")
                .asText();
        var _ = cli.done("jobs", "trigger", id);
        var _ = receiver.awaitCount(1, Duration.ofSeconds(20));

        var late = cli.run("jobs", "cancel", id, "--wait", "--timeout", "1s");
        assertThat(late.code()).as(late.out() + late.err()).isEqualTo(5);
        release.complete(null);
        assertThat(cli.done("jobs", "cancel", id, "--wait")).contains("is cancelled");
    }

    @Test
    void aJobIsWaitedForAndTheExitCodeSaysHowItEnded() throws Exception {
        receiver.answer(request -> Answer.of(request.path().equals("/wait-bad") ? 400 : 200, "{}"));
        api.endpoint("wait-good", receiver.uri("/wait-good"), Map.of());
        api.endpoint("wait-bad", receiver.uri("/wait-bad"), Map.of());

        var good = cli.run("jobs", "create", "--endpoint", "wait-good", "--input", "{\"n\": 1}", "--wait");
        assertThat(good.code()).as(good.out() + good.err()).isZero();
        assertThat(good.out())
                .containsPattern(
                        "^job job_\\w+ is created\\.\\Rexecution exec_\\w+ has ended: SUCCESS after 1 attempt\\.\\R$");
        var bad = cli.run("jobs", "create", "--endpoint", "wait-bad", "--input", "{\"n\": 1}", "--wait", "-o", "name");
        assertThat(bad.code()).isEqualTo(1);
        assertThat(bad.out()).containsPattern("^jobs/job_\\w+\\R$");
        var failed =
                cli.run("executions", "replay", bad.out().strip().replace("jobs/job_", "executions/exec_"), "--wait");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.out())
                .containsPattern(
                        "^execution exec_\\w+ is created\\.\\Rexecution exec_\\w+ has ended: FAILED after 1 attempt: ");

        var late = cli.run("jobs", "create", "--endpoint", "wait-good", "--delay", "1h", "--wait", "--timeout", "1s");
        assertThat(late.code()).isEqualTo(5);
        assertThat(late.err()).containsPattern("^execution exec_\\w+ has not ended after 1s\\.\\R$");
        assertThat(cli.run("jobs", "create", "--endpoint", "wait-good", "--every", "1h", "--wait")
                        .err())
                .startsWith("--wait cannot be used with a schedule");
        assertThat(cli.run("jobs", "create", "--endpoint", "wait-good", "--timeout", "1s")
                        .err())
                .startsWith("--timeout cannot be used without --wait");
    }

    @Test
    void timersAreCreatedReplacedFoundChangedAndCancelledByTheirKeys() throws Exception {
        api.endpoint("cli-timers", receiver.uri("/timers"), Map.of());
        String[] create = {"jobs", "create", "--endpoint", "cli-timers", "--key", "a/b c", "--delay", "1h"};
        String[] named = {"--endpoint", "cli-timers", "--key", "a/b c"};
        var first = cli.json(with(create, "--on-conflict", "replace", "--max-wait", "90m"));
        var second = cli.json(with(create, "--on-conflict", "replace", "--max-wait", "30s"));
        var id = second.path("job_id").asText();
        assertThat(second.path("superseded_job_id").asText())
                .isEqualTo(first.path("job_id").asText());
        assertThat(Instant.parse(second.path("run_at").asText()))
                .isEqualTo(Instant.parse(first.path("created_at").asText()).plusSeconds(30));
        assertThat(cli.run(with(create, "--on-conflict", "reject")).err()).contains("IDEMPOTENCY_KEY_IN_USE");
        assertThat(cli.run(with(create, "--on-conflict", "ignore")).err()).contains("/on_conflict: must be one of");
        assertThat(cli.run(with(create, "--max-wait", "1m")).err()).contains("/max_wait: is only for");
        assertThat(cli.run("jobs", "create", "--endpoint", "cli-timers", "--every", "1h", "--on-conflict", "replace")
                        .code())
                .isEqualTo(2);

        assertThat(cli.done(with(named, "jobs", "get"))).contains(id);
        assertThat(cli.done(with(named, "jobs", "get", "-o", "name"))).isEqualTo("jobs/%s%n".formatted(id));
        assertThat(cli.done(with(named, "jobs", "update", "--delay", "2h")))
                .isEqualTo("job %s is version 2.%n".formatted(id));
        assertThat(cli.done(with(named, "jobs", "cancel"))).isEqualTo("job %s is cancelled.%n".formatted(id));
        assertThat(cli.run(with(named, "jobs", "cancel")).err()).contains("JOB_NOT_FOUND");
        assertThat(cli.json(create).path("job_id").asText()).isNotEqualTo(id);
        for (var verb : List.of("get", "cancel", "update")) {
            assertThat(cli.run(with(named, "jobs", verb, id)).err()).startsWith("Name the job by its id, or with");
            assertThat(cli.run("jobs", verb, "--key", "a").code()).isEqualTo(2);
            assertThat(cli.run("jobs", verb).code()).isEqualTo(2);
            assertThat(cli.run("jobs", verb, "--endpoint", "cli-timers", "--key", "..")
                            .err())
                    .startsWith("The key '..' cannot be part of a path");
        }
        for (var verb : List.of("get", "explain", "cancel")) {
            assertThat(cli.run("executions", verb).err()).startsWith("Missing required parameter: 'NAME'");
        }
    }

    private static String[] with(String[] some, String... others) {
        var isVerb = others[0].equals("jobs");
        return Stream.of(isVerb ? others : some, isVerb ? some : others)
                .flatMap(Stream::of)
                .toArray(String[]::new);
    }

    @Test
    void anUpdateOfAScheduleKeepsWhatItDoesNotName() {
        api.endpoint("cli-update", receiver.uri("/update"), Map.of());
        var job = api.create("/jobs", """
                {"endpoint": "cli-update", "trigger": "CRON", "cron": "0 9 * * *", "timezone": "Asia/Kolkata",
                 "ends_at": "2040-01-01T00:00:00Z", "max_fires": 7, "input": {"n": 1, "m": 2}}
                """).getString("job_id");

        var sentence = cli.done(
                "jobs", "update", job, "--cron", "30 9 * * *", "--input", "{\"m\": 3}", "--unset", "max_fires");

        var next = api.read("/jobs/" + job).getString("replaced_by_id");
        assertThat(sentence).isEqualTo("job %s is version 2 and has replaced %s.%n".formatted(next, job));
        var shown = api.read("/jobs/" + next);
        assertThat(shown.getString("cron")).isEqualTo("30 9 * * *");
        assertThat(shown.getString("timezone")).isEqualTo("Asia/Kolkata");
        assertThat(shown.getString("ends_at")).isEqualTo("2040-01-01T00:00:00Z");
        assertThat(shown.getString("max_fires")).isNull();
        assertThat(shown.getMap("input")).isEqualTo(Map.of("n", 1, "m", 3));
        assertThat(cli.done("jobs", "update", next, "--tz", "Asia/Kolkata")).contains("is unchanged");
        assertThat(cli.run("jobs", "update", next).err()).contains("Set at least one change");
        assertThat(cli.run("jobs", "update", job, "--priority", "1").err()).contains("JOB_NOT_UPDATABLE");
        assertThat(cli.done("jobs", "delete", next)).isEqualTo("job %s is cancelled.%n".formatted(next));
    }

    @Test
    void theJobsOfAFileAreSentInBatchesAndWhatIsRefusedIsNamedWithItsLine() throws Exception {
        api.endpoint("cli-lines", receiver.uri("/lines"), Map.of());
        var lines = new StringBuilder();
        for (var i = 0; i < 1500; i++) {
            lines.append("""
                    {"endpoint":"cli-lines","trigger":"DELAYED","delay":"P9D","idempotency_key":"l-%d","input":{"n":1}}
                    """.formatted(i));
        }
        var good = cli.file("good.ndjson", lines.toString());

        assertThat(cli.done("jobs", "create", "-f", good)).startsWith("1500 created, 0 already existed, 0 refused.");
        var mixed = cli.run("jobs", "create", "-f", cli.file("mixed.jsonl", """
                {"endpoint":"cli-lines","trigger":"DELAYED","delay":"P9D","idempotency_key":"l-0","input":{"n":1}}

                {"endpoint":"nowhere","trigger":"IMMEDIATE","idempotency_key":"l-x"}
                {"endpoint":"cli-lines","every":1,"idempotency_key":"l-y"}
                {"endpoint":
                """));
        assertThat(mixed.code()).isEqualTo(1);
        assertThat(mixed.out()).startsWith("0 created, 1 already existed, 3 refused.");
        assertThat(mixed.err())
                .contains(
                        "mixed.jsonl:3: ",
                        "ENDPOINT_NOT_FOUND",
                        "mixed.jsonl:4: /every: must be",
                        "mixed.jsonl:5: This is not JSON");
        assertThat(cli.json("queues", "get", "default").path("scheduled").asLong())
                .isGreaterThanOrEqualTo(1500);
        assertThat(cli.done("queues", "list")).startsWith("NAME").contains("MORE", "default");
        assertThat(cli.run("queues", "get", "defautl").err()).contains("Queue 'defautl' does not exist.");
        assertThat(cli.run("queues", "get", "defautl").code()).isEqualTo(1);
    }

    @Test
    void aQueueIsCreatedChangedPausedAndDeleted() throws Exception {
        assertThat(cli.done("queues", "create", "cli-queue", "--aging", "5m"))
                .isEqualTo("queue cli-queue is created.%n".formatted());
        assertThat(cli.done("queues", "update", "cli-queue", "--weight", "9"))
                .isEqualTo("queue cli-queue is changed.%n".formatted());
        var changed = cli.json("queues", "get", "cli-queue");
        assertThat(changed.path("weight").asInt()).isEqualTo(9);
        assertThat(changed.path("aging").asText()).isEqualTo("PT5M");
        assertThat(changed.path("ready").isNumber()).isTrue();
        assertThat(cli.json("queues", "update", "queues/cli-queue", "--unset", "aging")
                        .has("aging"))
                .isFalse();

        assertThat(cli.done("queues", "pause", "cli-queue", "--reason", "repairs"))
                .isEqualTo("queue cli-queue is paused: repairs%n".formatted());
        assertThat(cli.done("queues", "list").lines().filter(line -> line.startsWith("cli-queue")))
                .singleElement()
                .asString()
                .contains("paused");
        assertThat(cli.done("top", "--once")).contains("paused");
        assertThat(cli.done("queues", "resume", "cli-queue")).isEqualTo("queue cli-queue is resumed.%n".formatted());

        assertThat(cli.run("queues", "update", "cli-queue").err()).contains("Set at least one change");
        assertThat(cli.run("queues", "update", "cli-queue", "--weight", "0").err())
                .contains("must be a whole number from 1 to 100");
        assertThat(cli.run("queues", "update", "cli-nowhere", "--weight", "1").err())
                .contains("Queue 'cli-nowhere' does not exist.");
        assertThat(cli.run("queues", "delete", "default").err()).contains("cannot be deleted");
        assertThat(cli.done("queues", "delete", "cli-queue")).isEqualTo("queue cli-queue is deleted.%n".formatted());
    }

    @Test
    void aJobIsCreatedInTheQueueThatIsNamed() throws Exception {
        api.endpoint("cli-queued", receiver.uri("/queued"), Map.of());
        cli.done("queues", "create", "cli-own");

        var job = cli.json("jobs", "create", "--endpoint", "cli-queued", "--every", "1h", "--queue", "cli-own");

        assertThat(job.path("queue").asText()).isEqualTo("cli-own");
        assertThat(cli.json("jobs", "update", job.path("job_id").asText(), "--unset", "queue")
                        .path("queue")
                        .asText())
                .isEqualTo("default");
        assertThat(cli.run("jobs", "create", "--endpoint", "cli-queued", "--queue", "cli-none")
                        .err())
                .contains("'cli-none' does not exist");
    }

    @Test
    void aLineThatIsTooLongOrNoTextIsRefusedAloneAndAFolderIsNoFile() throws Exception {
        api.endpoint("cli-odd", receiver.uri("/odd"), Map.of());
        var job = "{\"endpoint\":\"cli-odd\",\"trigger\":\"DELAYED\",\"delay\":\"P9D\","
                + "\"idempotency_key\":\"o-%s\",\"input\":\"%s\"}\n";
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
        var odd = Files.write(cli.folder().resolve("odd.ndjson"), text.getBytes(StandardCharsets.ISO_8859_1));

        var run = cli.run("jobs", "create", "-f", odd.toString());

        assertThat(run.out()).as(run.err()).startsWith("4 created, 0 already existed, 2 refused.");
        assertThat(run.err())
                .contains("odd.ndjson:4: This has more than 1048565 bytes", "odd.ndjson:5: This is not UTF-8.");
        assertThat(run.code()).isEqualTo(1);
        var of = Files.createDirectory(cli.folder().resolve("a-folder.ndjson"));
        var noFile = cli.run("jobs", "create", "-f", of.toString());
        assertThat(noFile.code()).isEqualTo(2);
        assertThat(noFile.err()).contains("The file " + of + " cannot be read.");
    }

    @Test
    void aScheduleInAFileIsNotWaitedForAndNothingOfTheFileIsCreated() throws Exception {
        api.endpoint("wait-file", receiver.uri("/wait-file"), Map.of());
        var jobs = cli.file("wait.yaml", """
                endpoint: wait-file
                trigger: IMMEDIATE
                idempotency_key: wait-file
                ---
                endpoint: wait-file
                trigger: INTERVAL
                every: PT1H
                """);

        var refused = cli.run("jobs", "create", "-f", jobs, "--wait");

        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.err()).contains("wait.yaml:7: --wait cannot be used with a schedule");
        assertThat(cli.json("jobs", "list", "--endpoint", "wait-file")).isEmpty();
    }

    @Test
    void whatIsPrintedForProgramsAfterWaitingIsHowItEnded() throws Exception {
        receiver.answer(request -> Answer.of(request.path().equals("/end-bad") ? 400 : 200, "{}"));
        api.endpoint("end-good", receiver.uri("/end-good"), Map.of());
        api.endpoint("end-bad", receiver.uri("/end-bad"), Map.of());

        var created = cli.json("jobs", "create", "--endpoint", "end-good", "--input", "{\"n\": 1}", "--wait");
        assertThat(created.path("status").asText()).isEqualTo("RETIRED");
        assertThat(created.at("/execution/status").asText()).isEqualTo("SUCCESS");
        assertThat(created.at("/execution/output/status_code").asInt()).isEqualTo(200);

        var bad = cli.run("jobs", "create", "--endpoint", "end-bad", "--input", "{\"n\": 1}", "--wait", "-o", "json");
        assertThat(bad.code()).isEqualTo(1);
        var error = Json.parse(bad.out()).at("/execution/error/status_code");
        assertThat(error.asInt()).isEqualTo(400);
        var late = cli.run(
                "jobs",
                "create",
                "--endpoint",
                "end-good",
                "--input",
                "{\"n\": 1}",
                "--delay",
                "1h",
                "--wait",
                "--timeout",
                "0s",
                "-o",
                "json");
        assertThat(late.code()).isEqualTo(5);
        assertThat(Json.parse(late.out()).at("/execution/status").asText()).isEqualTo("PENDING");

        var schedule = cli.json("jobs", "create", "--endpoint", "end-good", "--every", "1h", "--input", "{\"n\": 1}");
        var id = schedule.path("job_id").asText();
        assertThat(cli.json("jobs", "trigger", id, "--wait").path("status").asText())
                .isEqualTo("SUCCESS");
        assertThat(cli.json("jobs", "cancel", id, "--wait").path("status").asText())
                .isEqualTo("RETIRED");
    }
}
