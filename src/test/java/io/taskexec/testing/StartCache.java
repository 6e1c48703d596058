package io.taskexec.testing;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An AOT cache of the JDK with what all starts of the packaged program load and link. A suite has more than a hundred
 * of them, and each would take up to a second more.
 */
final class StartCache {
    private static final Path DIRECTORY = Path.of("target", "programs");
    private static final Path OUTPUT = DIRECTORY.resolve("starts.log");
    private static final Duration BOUND = Duration.ofMinutes(2);

    private StartCache() {}

    /** Where it is; the first caller waits until it is made. */
    static Path file() {
        return Made.FILE;
    }

    private static final class Made {
        static final Path FILE = make(DIRECTORY.resolve("starts.aot"));
    }

    private static Path make(Path cache) {
        try {
            Files.createDirectories(DIRECTORY);
            var words = new ArrayList<>(Program.java("-XX:AOTCacheOutput=" + cache));
            var data = DIRECTORY.resolve("starts").toString();
            words.addAll(List.of("dev", "--data-dir", data, "--port", "" + Program.freePort()));
            var process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(OUTPUT.toFile())
                    .start();
            Eventually.await("ready", BOUND, () -> !process.isAlive() || output().contains("taskexec is ready."));
            // It is written when the program ends.
            process.destroy();
            if (!process.waitFor(BOUND.toSeconds(), SECONDS) || !Files.exists(cache)) {
                process.destroyForcibly();
                throw new AssertionError("There is no cache of starts: " + output());
            }
            return cache;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String output() {
        try {
            return Files.readString(OUTPUT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
