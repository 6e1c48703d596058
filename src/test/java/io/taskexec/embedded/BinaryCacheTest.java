package io.taskexec.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinaryCacheTest {
    @TempDir
    Path root;

    @Test
    void twoThatUnpackAtOnceGetTheSameWholeDirectoryAndAnInterruptedOneIsThrownAway() throws Exception {
        var archive = Archive.forThisMachine();
        var draft = root.resolve("postgres-" + archive.fingerprint() + ".new");
        Files.writeString(Files.createDirectories(draft).resolve("half"), "of a file");

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Path> unpack = () -> new BinaryCache(root).unpacked(archive);
            var first = threads.submit(unpack);
            var second = threads.submit(unpack);

            assertThat(first.get()).isEqualTo(second.get()).isNotEmptyDirectory();
            assertThat(first.get().resolve("bin/postgres")).isExecutable();
            assertThat(first.get().resolve("half")).doesNotExist();
        }
        assertThat(draft).doesNotExist();
    }

    @Test
    void aSecondTimeNothingIsUnpacked() throws IOException {
        var archive = Archive.forThisMachine();
        var present = Files.createDirectory(root.resolve("postgres-" + archive.fingerprint()));

        assertThat(new BinaryCache(root).unpacked(archive)).isEqualTo(present).isEmptyDirectory();
    }
}
