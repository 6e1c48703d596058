package io.taskexec.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Creates files and directories that only their owner can read, from the moment they exist. */
final class OwnerOnly {
    private OwnerOnly() {}

    /** Creates what is missing of {@code directory}; one that exists keeps the mode that its owner gave it. */
    static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, mode(directory, "rwx------"));
    }

    static void createFile(Path file) throws IOException {
        Files.createFile(file, mode(file, "rw-------"));
    }

    private static FileAttribute<?>[] mode(Path path, String permissions) {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return new FileAttribute<?>[0];
        }
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        };
    }
}
