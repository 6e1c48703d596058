package io.taskexec.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;

/** A secret of one line in a file that only its owner can read. */
record KeyFile(Path path) {

    /** The secret, made by {@code fresh} when there is none yet. */
    String readOrCreate(Supplier<String> fresh) {
        try {
            if (Files.notExists(path)) {
                create(fresh.get());
            }
            var key = Files.readString(path).strip();
            if (key.isEmpty()) {
                throw new EmbeddedDatabaseException(
                        "The file " + path + " is empty; put the key back or delete the file.");
            }
            return key;
        } catch (IOException e) {
            throw new EmbeddedDatabaseException("The key file " + path + " cannot be read or written: " + e, e);
        }
    }

    // Written aside, forced to the disk, then renamed: a crash leaves the whole key or none. A secret key that is
    // lost takes everything with it that it encrypted.
    private void create(String key) throws IOException {
        var draft = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(draft);
        OwnerOnly.createFile(draft);
        try (var channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
            var bytes = ByteBuffer.wrap((key + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                var _ = channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
    }
}
