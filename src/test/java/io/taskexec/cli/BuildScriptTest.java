package io.taskexec.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs ./taskexec with a build that only says a word, and the training of its cache with a program that is missing. */
class BuildScriptTest {
    private static final int BOUND_SEC = 30;

    @TempDir
    private Path folder;

    @BeforeEach
    void copyScripts() throws IOException {
        folder = folder.toRealPath();
        var _ = Files.createDirectory(folder.resolve("bin"));
        for (var script : List.of("taskexec", "bin/toolchain.sh", "bin/run.sh")) {
            var _ = Files.copy(Path.of(script), folder.resolve(script));
        }
        var _ = Files.writeString(folder.resolve("bin/build.sh"), "build() { echo building; exit 7; }\n");
    }

    @Test
    void aLockThatAnEarlierProcessOfTheSameNumberHasLeftIsTaken() throws Exception {
        var _ = Files.createDirectory(folder.resolve("target"));

        var script = "cd \"$1\"; ln -s $$ target/.build-lock; exec sh taskexec version";
        var said = run(7, "sh", "-c", script, "sh", folder.toString());

        assertThat(said).endsWith("building\n");
        assertThat(folder.resolve("target/.build-lock")).doesNotExist();
    }

    @Test
    void aFolderThatCannotBeWrittenIsSaidAndNotWaitedFor() throws Exception {
        var target = Files.createFile(folder.resolve("target"));

        var said = run(2, "sh", folder.resolve("taskexec").toString(), "version");

        assertThat(said).isEqualTo("taskexec must be built, and " + target + " cannot be written.\n");
    }

    @Test
    void aTrainingThatFailsLeavesNothingBehind(@TempDir Path temporary) throws Exception {
        var cache = folder.resolve("cache").toString();

        var said = run(1, "env", "TMPDIR=" + temporary, "bash", "deploy/train.sh", "no-such.jar", cache);

        assertThat(said).contains("The training has failed", "no-such.jar");
        assertThat(temporary).isEmptyDirectory();
    }

    /** Returns what it says on both streams, and expects an exit code. */
    private static String run(int exitCode, String... words) throws Exception {
        var jdk = System.getProperty("java.home");
        var builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", jdk);
        builder.environment().put("PATH", jdk + "/bin:" + System.getenv("PATH"));
        var process = builder.start();
        try {
            assertThat(process.waitFor(BOUND_SEC, TimeUnit.SECONDS))
                    .as("it ends")
                    .isTrue();
            var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.exitValue()).as(said).isEqualTo(exitCode);
            return said;
        } finally {
            var _ = process.destroyForcibly();
        }
    }
}
