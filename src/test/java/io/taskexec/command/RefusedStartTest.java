package io.taskexec.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.Main;
import io.taskexec.server.Server;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Commands that cannot begin say so in one sentence, and end with a code that no result has. */
@Timeout(60)
class RefusedStartTest {
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    private int run(String... words) {
        return Main.commandLine(List.of(words))
                .setErr(new PrintWriter(err, true))
                .execute(words);
    }

    @ParameterizedTest
    @ValueSource(ints = {70_000, 0, -1})
    void aPortThatCannotBeListenedOnIsRefusedBeforeAnythingIsCreated(int port) {
        var data = folder.resolve("data");

        assertThat(run("dev", "--port=" + port, "--data-dir=" + data)).isEqualTo(Server.REFUSED);

        assertThat(err.toString().lines()).containsExactly("--port must be between 1 and 65535, not " + port + ".");
        assertThat(data).doesNotExist();
    }

    @Test
    void aDataDirectoryThatCannotBeUsedIsNoViolatedInvariant() throws IOException {
        for (var name : List.of("postgres", "lock")) {
            var _ = Files.createDirectory(folder.resolve(name));
        }

        assertThat(run("check", "--data-dir=" + folder)).isEqualTo(Server.REFUSED);

        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("The data directory " + folder + " cannot be used: ");
    }

    @Test
    void aFailureThatNothingExplainsIsNoResultEither() {
        for (var command : List.of(new CheckCommand(), new SecretsRekeyCommand())) {
            assertThat(new CommandLine(command).getCommandSpec().exitCodeOnExecutionException())
                    .isEqualTo(Server.REFUSED);
        }
    }
}
