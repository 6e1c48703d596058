package io.taskexec.cli.noun;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.testing.Answer;
import io.taskexec.testing.CommandBed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs commands with a server that answers as it is told. */
class NounCommandsTest {
    private static final String RESOURCE = """
            {"items": [], "cursor": null, "name": "n", "job_id": "job_1", "workflow_id": "wf_1",
             "execution_id": "exec_1", "status": "SUCCESS", "key_id": "key_1", "key": "te_new"}""";

    private final CommandBed cli = new CommandBed();

    @AfterEach
    void stop() {
        cli.close();
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
    void optionsTakeNamesAsTheyArePrinted(String words, String request) {
        cli.server().answer(Answer.of(200, RESOURCE));

        assertThat(cli.run(words.split(" "))).as(cli.err()).isZero();

        assertThat(cli.requested()).contains(request);
    }

    @ParameterizedTest
    @CsvSource({"200, job job_1 already exists.", "201, job job_1 is created."})
    void createSaysWhetherTheJobExisted(int status, String sentence) {
        cli.server().answer(Answer.of(status, RESOURCE));

        assertThat(cli.run("jobs", "create", "--endpoint", "e", "--key", "k")).isZero();

        assertThat(cli.out()).isEqualTo(sentence + System.lineSeparator());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{} x", "{\"a\": 1, \"a\": 2}"})
    void anOutputThatIsNotOneJsonValueIsRefused(String json) {
        assertThat(cli.run("executions", "complete", "exec_1", "--output", json))
                .isEqualTo(ExitCode.USAGE);

        assertThat(cli.err()).startsWith("--output must be JSON: ");
        assertThat(cli.server().requests()).isEmpty();
    }

    @Test
    void anOutputKeepsItsDigits() {
        cli.server().answer(Answer.of(200, RESOURCE));

        assertThat(cli.run("executions", "complete", "exec_1", "--output", "12.50"))
                .isZero();

        assertThat(cli.requested()).endsWith("{\"status\":\"succeeded\",\"output\":12.50}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            queues   | List queues, in the order of their names.
            jobs     | List jobs, newest first.
            pressure | List sources of pressure.
            """)
    void theHelpOfAListSaysItsOrder(String noun, String sentence) {
        assertThat(cli.run(noun, "list", "--help")).isZero();

        assertThat(cli.out()).contains(sentence);
    }
}
