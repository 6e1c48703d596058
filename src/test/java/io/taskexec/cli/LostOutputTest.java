package io.taskexec.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.Main;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.text.TerminalWriter;
import io.taskexec.testing.Answer;
import io.taskexec.testing.CommandBed;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose output cannot be written: the disk is full, or {@code head} has read enough. */
@Timeout(30)
class LostOutputTest {
    private static final String EVENT = "id: 1\ndata: {\"type\": \"io.taskexec.execution.failed\"}\n\n";
    private static final String RESOURCE = """
            {"items": [{"name": "a"}], "cursor": null, "name": "a", "workflow_id": "wf_1", "status": "RUNNING",
             "jobs": {"one": {"status": "RUNNING"}}}""";

    private final CommandBed cli = new CommandBed(new Broken());

    /** The other end of the pipe is closed. */
    private static final class Broken extends Writer {
        @Override
        public void write(char[] text, int begin, int length) throws IOException {
            throw new IOException("Broken pipe");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void answer() {
        cli.server().answer(request -> Answer.of(200, request.path().startsWith("/events") ? EVENT : RESOURCE));
    }

    @AfterEach
    void stop() {
        cli.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "configs list --all -o json",
                "configs get a",
                "configs list --watch --interval PT0.1S",
                "configs get a --watch --interval PT0.1S -o json",
                "logs",
                "logs -f",
                "logs -f -n 0",
            })
    void aCommandWithoutItsOutputEndsAndHasFailed(String words) {
        assertThat(cli.run(words.split(" "))).isEqualTo(ExitCode.REFUSED);

        assertThat(cli.err()).isEqualTo("The output could not be written.%n".formatted());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "--version",
                "serve --help",
                "dev --help",
                "jobs --help",
                "jobs create --help",
                "help",
                "help serve",
                "version",
                "cron next 0_0_*_*_*",
            })
    void whatIsPrintedWithoutAServerHasFailedWithoutItsOutput(String text) {
        var words =
                Stream.of(text.split(" ")).map(word -> word.replace('_', ' ')).toList();

        var code = Main.commandLine(words)
                .setOut(TerminalWriter.ofOutput(new Broken()))
                .setErr(TerminalWriter.ofErrors(new StringWriter()))
                .execute(words.toArray(String[]::new));

        assertThat(code).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void aRunIsNotFollowedWithoutItsOutput() {
        assertThat(cli.run("workflows", "watch", "wf_1")).isEqualTo(ExitCode.REFUSED);

        assertThat(cli.err()).isEmpty();
    }
}
