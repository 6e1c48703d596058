package io.taskexec;

import io.taskexec.cli.text.Progress;
import io.taskexec.cli.text.Terminal;
import io.taskexec.store.Migrations;
import io.taskexec.store.TransferException;
import io.taskexec.transfer.RowCount;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** What exporting and importing have in common. */
final class Transfers {
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
                return Launch.refused(Schema.NEWER);
            }
            work.run();
            return 0;
        } catch (TransferException e) {
            return Launch.refused(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            return Launch.refused("A key for secrets cannot be used: " + e.getMessage() + ".");
        } catch (FileAlreadyExistsException e) {
            return Launch.refused("The file '" + e.getFile() + "' exists already.");
        } catch (NoSuchFileException e) {
            return Launch.refused("There is no file '" + e.getFile() + "'.");
        } catch (IOException e) {
            return Launch.refused("The export cannot be read or written: " + e.getMessage());
        }
    }

    /** Work that counts what it has done. */
    interface Counting {
        void run(RowCount count) throws IOException;
    }

    /** Shows how far it is where somebody looks; gives how many rows there were. */
    static long counting(Counting work) throws IOException {
        var err = new PrintWriter(System.err, false, StandardCharsets.UTF_8);
        try (var progress = new Progress(err, Terminal.isErrorShown(), "rows", 0)) {
            var count = new RowCount((kind, total) -> progress.reach(total, total + ", now " + kind));
            work.run(count);
            return count.total();
        }
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
}
