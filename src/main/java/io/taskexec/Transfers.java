package io.taskexec;

import io.taskexec.store.Migrations;
import io.taskexec.store.TransferException;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** What exporting and importing have in common. */
final class Transfers {
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    private Transfers() {}

    /** @param keyFile where the key is that secrets have on the way, null for nowhere */
    static void prepare(@Nullable Path keyFile) {
        // What is printed to the standard output is the export.
        Launch.listen(System.err::println);
        System.setProperty("quarkus.log.console.stderr", "true");
        if (keyFile != null) {
            try {
                System.setProperty("te.export-key", Files.readString(keyFile).strip());
            } catch (IOException e) {
                throw new StartRefusedException("The key file '" + keyFile + "' cannot be read.");
            }
        }
    }

    /** Work whose failures are sentences. */
    interface Work {
        void run() throws IOException;
    }

    static int run(Migrations migrations, Work work) {
        try {
            if (migrations.ahead()) {
                throw new TransferException(
                        "The schema of the database is newer than this taskexec: use the newer one.");
            }
            work.run();
            return 0;
        } catch (TransferException e) {
            return refused(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            return refused("A key for secrets cannot be used: " + e.getMessage() + ".");
        } catch (FileAlreadyExistsException e) {
            return refused("The file '" + e.getFile() + "' exists already.");
        } catch (NoSuchFileException e) {
            return refused("There is no file '" + e.getFile() + "'.");
        } catch (IOException e) {
            return refused("The export cannot be read or written: " + e.getMessage());
        }
    }

    private static int refused(String reason) {
        var _ = Launch.refuse(reason);
        return Server.REFUSED;
    }

    /** What is written somewhere. */
    interface Writing {
        void to(OutputStream out) throws IOException;
    }

    /**
     * Writes to a new file, which is gone again when that fails, or to the standard output.
     *
     * @param file empty for the standard output
     */
    static void write(String file, Writing writing) throws IOException {
        if (file.isEmpty()) {
            try (var out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out))) {
                writing.to(out);
            }
            return;
        }
        var path = Path.of(file);
        var created = createPrivate(path);
        try (created) {
            writing.to(created);
        } catch (IOException | RuntimeException e) {
            var _ = Files.deleteIfExists(path);
            throw e;
        }
    }

    /** A new file that only its owner can read, where the system knows such a thing. */
    private static OutputStream createPrivate(Path file) throws IOException {
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            return Files.newOutputStream(file, StandardOpenOption.WRITE);
        }
        return Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** Whether somebody looks at what is printed to the standard error, as far as this system tells. */
    static boolean isTerminal() {
        try {
            var device = STDERR.toRealPath();
            return device.startsWith("/dev/pts") || device.startsWith("/dev/tty") || device.endsWith("console");
        } catch (IOException _) {
            // Of other systems than Linux, Java tells nothing about the standard error.
            return false;
        }
    }
}
