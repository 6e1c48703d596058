package io.taskexec.testing;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An AOT cache of the JDK with what all starts of the packaged program load and link. A suite has more than a hundred
 * of them, and each would take up to a second more. All runs with the same program use the same one.
 */
final class StartCache {
    private static final Path DIRECTORY = Path.of("target", "starts");
    private static final Path OUTPUT = DIRECTORY.resolve("starts.log");
    private static final Duration BOUND = Duration.ofMinutes(2);

    private StartCache() {}

    /** Where it is; the first caller waits until it is made. */
    static Path file() {
        return Made.FILE;
    }

    private static final class Made {
        static final Path FILE = find();
    }

    /** A JVM takes no cache that was made with another jar, so its time is in the name. */
    private static Path find() {
        try {
            Files.createDirectories(DIRECTORY);
            var built = Files.getLastModifiedTime(Path.of(System.getProperty("taskexec.jar")));
            var cache = DIRECTORY.resolve(built.toMillis() + ".aot");
            try (var lock = FileChannel.open(DIRECTORY.resolve("lock"), CREATE, WRITE);
                    var _ = lock.lock()) {
                return Files.exists(cache) ? cache : Files.move(make(DIRECTORY.resolve("new.aot")), cache);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path make(Path cache) {
        try {
            var words = new ArrayList<>(Program.java("-XX:AOTCacheOutput=" + cache));
            var data = DIRECTORY.resolve("data").toString();
            words.addAll(List.of("dev", "--data-dir", data, "--port", "" + Program.freePort()));
            var process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(OUTPUT.toFile())
                    .start();
            Eventually.await(
                    "ready",
                    BOUND,
                    () -> !process.isAlive() || TestFiles.text(OUTPUT).contains("taskexec is ready."));
            // It is written when the program ends.
            process.destroy();
            if (!process.waitFor(BOUND.toSeconds(), SECONDS) || !Files.exists(cache)) {
                process.destroyForcibly();
                throw new AssertionError("There is no cache of starts: " + TestFiles.text(OUTPUT));
            }
            return cache;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
