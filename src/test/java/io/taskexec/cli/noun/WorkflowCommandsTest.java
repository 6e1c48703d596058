package io.taskexec.cli.noun;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.Main;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.text.TerminalWriter;
import io.taskexec.model.Json;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Receiver;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    private final Receiver server = new Receiver();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        server.close();
    }

    private int run(String... words) throws Exception {
        var all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--url", server.uri("").toString(), "--token-file"));
        all.add(Files.writeString(folder.resolve("token"), "te_key").toString());
        return Main.commandLine(all)
                .setOut(TerminalWriter.ofOutput(out))
                .setErr(TerminalWriter.ofErrors(err))
                .execute(all.toArray(String[]::new));
    }

    private String requested() {
        var request = server.requests().getLast();
        return request.method() + " " + request.path() + " " + request.body();
    }

    @Test
    void getDrawsTheGraphBelowTheFields() throws Exception {
        server.answer(Answer.of(200, RUN.formatted("FAILED", "null", "SUCCESS", "FAILED")));

        assertThat(run("workflows", "get", "workflows/wf_1")).isZero();

        assertThat(out.toString()).startsWith("workflow_id  wf_1\n").endsWith("""
                status       FAILED
                error        null

                ✓ a *  SUCCESS  12ms
                ✗ b *  FAILED  no answer
                """);
        assertThat(run("workflows", "get", "wf_1", "-o", "json")).isZero();
        assertThat(out.toString()).contains("\"critical_path\"");
    }

    @Test
    void watchPrintsEachChangeAndEndsWithTheRun() throws Exception {
        var looks = new AtomicInteger();
        server.answer(_ -> Answer.of(
                200,
                switch (looks.getAndIncrement()) {
                    case 0 -> RUN.formatted("RUNNING", "null", "RUNNING", "WAITING");
                    case 1 -> RUN.formatted("RUNNING", "null", "SUCCESS", "WAITING");
                    default -> RUN.formatted("FAILED", "{\"message\": \"b has failed.\"}", "SUCCESS", "FAILED");
                }));

        assertThat(run("workflows", "watch", "wf_1", "--interval", "PT0.1S"))
                .as(err.toString())
                .isEqualTo(ExitCode.REFUSED);

        assertThat(out.toString().lines())
                .containsExactly(
                        "a  RUNNING",
                        "a  SUCCESS",
                        "b  FAILED  no answer",
                        "workflow wf_1 has ended: FAILED: b has failed.");
    }

    @Test
    void watchOfASuccessIsASuccess() throws Exception {
        server.answer(Answer.of(200, RUN.formatted("SUCCESS", "null", "SUCCESS", "SKIPPED")));

        assertThat(run("workflows", "watch", "wf_1")).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            --input {"a":1} --key k | {"definition":"order","idempotency_key":"k","input":{"a":1}}
            --run-at 2027 --key k | {"definition":"order","idempotency_key":"k","run_at":"2027"}
            --every 15m | {"definition":"order","every":"PT15M"}
            --cron @daily | {"definition":"order","timezone":"UTC","cron":"@daily"}
            """)
    void createSendsTheOptions(String options, String body) throws Exception {
        server.answer(Answer.of(201, "{\"workflow_id\": null, \"job_id\": \"job_1\", \"name\": \"order\"}"));

        assertThat(run(("workflows create --definition order " + options).split(" ")))
                .as(err.toString())
                .isZero();

        assertThat(requested()).isEqualTo("POST /workflows " + body);
        assertThat(out.toString()).isEqualTo("job job_1 is created.%n".formatted());
    }

    @Test
    void createCompletesAFileWithOptionsAndARandomKey() throws Exception {
        server.answer(Answer.of(201, "{\"workflow_id\": \"wf_1\", \"job_id\": \"job_1\", \"name\": \"x\"}"));
        var file = Files.writeString(folder.resolve("w.yaml"), "name: x\njobs: {a: {endpoint: e}}\ninput: 1\n");
        var input = Files.writeString(folder.resolve("input.json"), "{\"n\": 2}");

        assertThat(run("workflows", "create", "-f", file.toString(), "--input", "@" + input))
                .isZero();

        var sent = Json.parse(server.requests().getLast().body());
        assertThat(sent.path("input").toString()).isEqualTo("{\"n\":2}");
        assertThat(sent.path("idempotency_key").asText()).startsWith("cli-");
        assertThat(out.toString()).isEqualTo("workflow wf_1 is created.%n".formatted());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            workflows cancel wf_1 --force | POST /workflows/wf_1/cancel?force=true | workflow wf_1 is running.
            workflows retry wf_1          | POST /workflows/wf_1/retry             | workflow wf_1 is created.
            workflows replay wf_1         | POST /workflows/wf_1/replay            | workflow wf_1 is created.
            workflow-definitions delete w | DELETE /workflow-definitions/w         | workflow definition w is deleted.
            """)
    void anActionIsOneRequest(String words, String request, String sentence) throws Exception {
        server.answer(Answer.of(200, RUN.formatted("RUNNING", "null", "SUCCESS", "WAITING")));

        assertThat(run(words.split(" "))).as(err.toString()).isZero();

        assertThat(requested()).startsWith(request);
        assertThat(out.toString()).isEqualTo(sentence + System.lineSeparator());
    }

    @Test
    void putSendsTheFileAndSaysTheVersion() throws Exception {
        server.answer(Answer.of(200, "{\"name\": \"w\", \"version\": 2}"));
        var file = Files.writeString(folder.resolve("w.yaml"), "jobs: {a: {endpoint: e}}");

        assertThat(run("workflow-definitions", "put", "w", "-f", file.toString()))
                .isZero();

        assertThat(requested()).isEqualTo("PUT /workflow-definitions/w {\"jobs\":{\"a\":{\"endpoint\":\"e\"}}}");
        assertThat(out.toString()).isEqualTo("workflow definition w has version 2.\n");
    }

    @Test
    void listTellsHowLongARunHasTaken() throws Exception {
        server.answer(Answer.of(200, """
                {"items": [{"workflow_id": "wf_1", "name": "order", "status": "SUCCESS",
                  "created_at": "2026-03-15T18:00:00Z", "started_at": "2026-03-15T18:00:00Z",
                  "completed_at": "2026-03-15T18:01:30Z"}], "cursor": null}"""));

        assertThat(run("workflows", "list", "--status", "success", "--name", "order"))
                .isZero();

        assertThat(requested()).contains("name=order", "status=SUCCESS");
        assertThat(out.toString()).contains("TOOK").contains("1m30s");
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
    void wrongOptionsSendNothing(String words, String sentence) throws Exception {
        assertThat(run(words.split(" "))).isEqualTo(ExitCode.USAGE);

        assertThat(err.toString()).startsWith(sentence);
        assertThat(server.requests()).isEmpty();
    }
}
