package io.taskexec.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.Main;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.text.TerminalWriter;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Receiver;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose output cannot be written: the disk is full, or {@code head} has read enough. */
@Timeout(30)
class LostOutputTest {
    private static final String EVENT = "id: 1\ndata: {\"type\": \"io.taskexec.execution.failed\"}\n\n";
    private static final String RESOURCE = """
            {"items": [{"name": "a"}], "cursor": null, "name": "a", "workflow_id": "wf_1", "status": "RUNNING",
             "jobs": {"one": {"status": "RUNNING"}}}""";

    private final Receiver server = new Receiver();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

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
        server.answer(request -> Answer.of(200, request.path().startsWith("/events") ? EVENT : RESOURCE));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int run(String words) throws IOException {
        var all = new ArrayList<>(List.of(words.split(" ")));
        all.addAll(List.of("--url", server.uri("").toString(), "--token-file"));
        all.add(Files.writeString(folder.resolve("token"), "te_key").toString());
        return Main.commandLine(all)
                .setOut(TerminalWriter.ofOutput(new Broken()))
                .setErr(TerminalWriter.ofErrors(err))
                .execute(all.toArray(String[]::new));
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
    void aCommandWithoutItsOutputEndsAndHasFailed(String words) throws Exception {
        assertThat(run(words)).isEqualTo(ExitCode.REFUSED);

        assertThat(err.toString()).isEqualTo("The output could not be written.%n".formatted());
    }

    @Test
    void aRunIsNotFollowedWithoutItsOutput() throws Exception {
        assertThat(run("workflows watch wf_1")).isEqualTo(ExitCode.REFUSED);

        assertThat(err.toString()).isEmpty();
    }
}
