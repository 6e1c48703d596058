package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Program;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder examples on a server that has nothing yet. */
@ServerTest(own = "The examples are for a server that has nothing yet.")
class ExamplesIT {
    @Inject
    private static Program program;

    @Test
    void allExamplesAreAppliedAtOnceAndTheSecondTimeNothingChanges(@TempDir Path folder) throws Exception {
        var token = Files.writeString(folder.resolve("token"), Program.API_KEY).toString();

        assertThat(apply(token)).contains("Endpoint hello is created.", "Job hello-hourly is created.", "12 created.");
        assertThat(apply(token)).contains("12 unchanged.");
    }

    private static String apply(String token) {
        var run = CommandRun.of(
                "apply", "-f", "examples/", "--url", program.api().uri("").toString(), "--token-file", token);
        assertThat(run.code()).as(run.out() + run.err()).isZero();
        return run.out();
    }
}
