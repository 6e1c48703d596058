package io.taskexec.cli.noun;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.model.Json;
import io.taskexec.testing.Answer;
import io.taskexec.testing.CommandBed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the commands for workflows with a server that answers as it is told. */
class WorkflowCommandsTest {
    private static final String RUN = """
            {"workflow_id": "wf_1", "name": "order", "status": "%s", "error": %s, "jobs": {
              "a": {"status": "%s", "depends_on": [], "duration_ms": 12},
              "b": {"status": "%s", "depends_on": ["a"], "error": {"message": "no answer"}}},
             "critical_path": ["a", "b"]}""";

    private final CommandBed cli = new CommandBed();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        cli.close();
    }

    @Test
    void getDrawsTheGraphBelowTheFields() {
        cli.server().answer(Answer.of(200, RUN.formatted("FAILED", "null", "SUCCESS", "FAILED")));

        assertThat(cli.run("workflows", "get", "workflows/wf_1")).isZero();

        assertThat(cli.out()).startsWith("workflow_id  wf_1\n").endsWith("""
                status       FAILED
                error        null

                ✓ a *  SUCCESS  12ms
                ✗ b *  FAILED  no answer
                """);
        assertThat(cli.run("workflows", "get", "wf_1", "-o", "json")).isZero();
        assertThat(cli.out()).contains("\"critical_path\"");
    }

    @Test
    void watchPrintsEachChangeAndEndsWithTheRun() {
        var looks = new AtomicInteger();
        cli.server()
                .answer(_ -> Answer.of(
                        200,
                        switch (looks.getAndIncrement()) {
                            case 0 -> RUN.formatted("RUNNING", "null", "RUNNING", "WAITING");
                            case 1 -> RUN.formatted("RUNNING", "null", "SUCCESS", "WAITING");
                            default -> RUN.formatted("FAILED", "{\"message\": \"b has failed.\"}", "SUCCESS", "FAILED");
                        }));

        assertThat(cli.run("workflows", "watch", "wf_1", "--interval", "PT0.1S"))
                .as(cli.err())
                .isEqualTo(ExitCode.REFUSED);

        assertThat(cli.out().lines())
                .containsExactly(
                        "a  RUNNING",
                        "a  SUCCESS",
                        "b  FAILED  no answer",
                        "workflow wf_1 has ended: FAILED: b has failed.");
    }

    @Test
    void watchOfASuccessIsASuccess() {
        cli.server().answer(Answer.of(200, RUN.formatted("SUCCESS", "null", "SUCCESS", "SKIPPED")));

        assertThat(cli.run("workflows", "watch", "wf_1")).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            --input {"a":1} --key k | {"definition":"order","idempotency_key":"k","input":{"a":1}}
            --run-at 2027 --key k | {"definition":"order","idempotency_key":"k","run_at":"2027"}
            --every 15m | {"definition":"order","every":"PT15M"}
            --cron @daily | {"definition":"order","timezone":"UTC","cron":"@daily"}
            """)
    void createSendsTheOptions(String options, String body) {
        cli.server().answer(Answer.of(201, "{\"workflow_id\": null, \"job_id\": \"job_1\", \"name\": \"order\"}"));

        assertThat(cli.run(("workflows create --definition order " + options).split(" ")))
                .as(cli.err())
                .isZero();

        assertThat(cli.requested()).isEqualTo("POST /workflows " + body);
        assertThat(cli.out()).isEqualTo("job job_1 is created.%n".formatted());
    }

    @Test
    void createCompletesAFileWithOptionsAndARandomKey() throws Exception {
        cli.server().answer(Answer.of(201, "{\"workflow_id\": \"wf_1\", \"job_id\": \"job_1\", \"name\": \"x\"}"));
        var file = Files.writeString(folder.resolve("w.yaml"), "name: x\njobs: {a: {endpoint: e}}\ninput: 1\n");
        var input = Files.writeString(folder.resolve("input.json"), "{\"n\": 2}");

        assertThat(cli.run("workflows", "create", "-f", file.toString(), "--input", "@" + input))
                .isZero();

        var sent = Json.parse(cli.server().requests().getLast().body());
        assertThat(sent.path("input").toString()).isEqualTo("{\"n\":2}");
        assertThat(sent.path("idempotency_key").asText()).startsWith("cli-");
        assertThat(cli.out()).isEqualTo("workflow wf_1 is created.%n".formatted());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            workflows cancel wf_1 --force | POST /workflows/wf_1/cancel?force=true | workflow wf_1 is running.
            workflows retry wf_1          | POST /workflows/wf_1/retry             | workflow wf_1 is created.
            workflows replay wf_1         | POST /workflows/wf_1/replay            | workflow wf_1 is created.
            workflow-definitions delete w | DELETE /workflow-definitions/w         | workflow definition w is deleted.
            """)
    void anActionIsOneRequest(String words, String request, String sentence) {
        cli.server().answer(Answer.of(200, RUN.formatted("RUNNING", "null", "SUCCESS", "WAITING")));

        assertThat(cli.run(words.split(" "))).as(cli.err()).isZero();

        assertThat(cli.requested()).startsWith(request);
        assertThat(cli.out()).isEqualTo(sentence + System.lineSeparator());
    }

    @Test
    void putSendsTheFileAndSaysTheVersion() throws Exception {
        cli.server().answer(Answer.of(200, "{\"name\": \"w\", \"version\": 2}"));
        var file = Files.writeString(folder.resolve("w.yaml"), "jobs: {a: {endpoint: e}}");

        assertThat(cli.run("workflow-definitions", "put", "w", "-f", file.toString()))
                .isZero();

        assertThat(cli.requested()).isEqualTo("PUT /workflow-definitions/w {\"jobs\":{\"a\":{\"endpoint\":\"e\"}}}");
        assertThat(cli.out()).isEqualTo("workflow definition w has version 2.\n");
    }

    @Test
    void listTellsHowLongARunHasTaken() {
        cli.server().answer(Answer.of(200, """
                {"items": [{"workflow_id": "wf_1", "name": "order", "status": "SUCCESS",
                  "created_at": "2026-03-15T18:00:00Z", "started_at": "2026-03-15T18:00:00Z",
                  "completed_at": "2026-03-15T18:01:30Z"}], "cursor": null}"""));

        assertThat(cli.run("workflows", "list", "--status", "success", "--name", "order"))
                .isZero();

        assertThat(cli.requested()).contains("name=order", "status=SUCCESS");
        assertThat(cli.out()).contains("TOOK").contains("1m30s");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            workflows create                                            | Set either --definition, or a file with -f.
            workflows create --definition w --delay 1h --every 1h       | Set at most one of --run-at, --delay
            workflows create --definition w --tz UTC                    | --timezone cannot be used without --cron.
            workflows create --definition w --input @none               | --input: The file none cannot be read.
            workflows watch wf_1 --interval never                       | --interval must be a duration
            workflow-definitions put w                                  | Name a file with -f
            """)
    void wrongOptionsSendNothing(String words, String sentence) {
        assertThat(cli.run(words.split(" "))).isEqualTo(ExitCode.USAGE);

        assertThat(cli.err()).startsWith(sentence);
        assertThat(cli.server().requests()).isEmpty();
    }
}
