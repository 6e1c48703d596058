package io.taskexec.examples.cloudillo.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/** Files that are there whole or not at all, also after a loss of power. */
final class DurableFiles {
    private DurableFiles() {}

    /** Moves a file to its place, which may hold an older one, on the same file system. */
    static void move(Path file, Path target) throws IOException {
        force(file, StandardOpenOption.WRITE);
        var folder = Files.createDirectories(folder(target));
        Files.move(file, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        force(folder, StandardOpenOption.READ);
    }

    /** Returns the folder of a file. */
    static Path folder(Path file) {
        return Objects.requireNonNull(file.toAbsolutePath().getParent());
    }

    private static void force(Path path, StandardOpenOption option) throws IOException {
        try (var channel = FileChannel.open(path, option)) {
            channel.force(true);
        }
    }
}
