package io.taskexec.examples.cloudillo.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Supplier;

/** A file with a secret, made when an instance starts for the first time, that only its user may read. */
public final class PrivateFile {
    private PrivateFile() {}

    /** Reads the secret, or makes it. */
    public static String open(Path file, Supplier<String> secret) throws IOException {
        if (!Files.exists(file)) {
            var whole = Files.createTempFile(
                    DurableFiles.folder(file),
                    "secret",
                    ".new",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            DurableFiles.move(Files.writeString(whole, secret.get()), file);
        }
        return Files.readString(file);
    }
}
