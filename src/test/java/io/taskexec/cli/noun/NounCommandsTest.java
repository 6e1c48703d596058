package io.taskexec.cli.noun;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.Main;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.text.TerminalWriter;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Receiver;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs commands with a server that answers as it is told. */
class NounCommandsTest {
    private static final String RESOURCE = """
            {"items": [], "cursor": null, "name": "n", "job_id": "job_1", "workflow_id": "wf_1",
             "execution_id": "exec_1", "status": "SUCCESS", "key_id": "key_1", "key": "te_new"}""";

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

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            jobs create --endpoint endpoints/e                | "endpoint":"e"
            jobs create --endpoint e --queue queues/q         | "queue":"q"
            jobs create --endpoint e --depends-on jobs/job_1,b=jobs/job_2 | "depends_on":{"job_1":"job_1","b":"job_2"}
            jobs list --endpoint endpoints/e                  | endpoint=e
            executions list --queue queues/q                  | queue=q
            jobs get --endpoint endpoints/e --key k           | GET /endpoints/e/keys/k
            endpoints create n --to http://a --config configs/c   | "config":"c"
            endpoints create n --to http://a --payload-spec specs/s | "payload_spec":"s"
            endpoints create n --to http://a --queue queues/q | "queue":"q"
            workflows create --definition workflow-definitions/d | "definition":"d"
            keys create --name n --scopes work --endpoint endpoints/e | "endpoints":["e"]
            """)
    void optionsTakeNamesAsTheyArePrinted(String words, String request) throws Exception {
        server.answer(Answer.of(200, RESOURCE));

        assertThat(run(words.split(" "))).as(err.toString()).isZero();

        assertThat(requested()).contains(request);
    }

    @ParameterizedTest
    @CsvSource({"200, job job_1 already exists.", "201, job job_1 is created."})
    void createSaysWhetherTheJobExisted(int status, String sentence) throws Exception {
        server.answer(Answer.of(status, RESOURCE));

        assertThat(run("jobs", "create", "--endpoint", "e", "--key", "k")).isZero();

        assertThat(out.toString()).isEqualTo(sentence + System.lineSeparator());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{} x", "{\"a\": 1, \"a\": 2}"})
    void anOutputThatIsNotOneJsonValueIsRefused(String json) throws Exception {
        assertThat(run("executions", "complete", "exec_1", "--output", json)).isEqualTo(ExitCode.USAGE);

        assertThat(err.toString()).startsWith("--output must be JSON: ");
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void anOutputKeepsItsDigits() throws Exception {
        server.answer(Answer.of(200, RESOURCE));

        assertThat(run("executions", "complete", "exec_1", "--output", "12.50")).isZero();

        assertThat(requested()).endsWith("{\"status\":\"succeeded\",\"output\":12.50}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            queues   | List queues, in the order of their names.
            jobs     | List jobs, newest first.
            pressure | List sources of pressure.
            """)
    void theHelpOfAListSaysItsOrder(String noun, String sentence) throws Exception {
        assertThat(run(noun, "list", "--help")).isZero();

        assertThat(out.toString()).contains(sentence);
    }
}
