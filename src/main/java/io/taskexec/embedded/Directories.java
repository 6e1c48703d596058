package io.taskexec.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Deletes directories with all that is in them; a symbolic link is deleted, not followed. */
final class Directories extends SimpleFileVisitor<Path> {
    private Directories() {}

    static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            Files.walkFileTree(directory, new Directories());
        }
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        Files.delete(file);
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
        if (failure != null) {
            throw failure;
        }
        Files.delete(directory);
        return FileVisitResult.CONTINUE;
    }
}
