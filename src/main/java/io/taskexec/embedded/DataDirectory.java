package io.taskexec.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The directory that keeps everything of one {@code taskexec dev}; held by one process at a time. */
public final class DataDirectory implements AutoCloseable {
    // The operating system's lock is one per process, and closing any channel on the file gives it up; so a second
    // open in the same process has to be refused before it touches the file.
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lock;

    private DataDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Creates {@code directory} when it is missing, and holds it until it is closed or the process ends.
     *
     * @throws DataDirectoryInUseException when another process, or this one, holds it already
     * @throws EmbeddedDatabaseException when it cannot be created or locked, with the reason
     */
    public static DataDirectory open(Path directory) {
        try {
            OwnerOnly.createDirectories(directory);
            var path = directory.toRealPath();
            if (!HELD_HERE.add(path)) {
                throw inUse(directory, Long.toString(ProcessHandle.current().pid()));
            }
            try {
                return new DataDirectory(path, lock(directory, path.resolve("lock")));
            } catch (IOException | RuntimeException e) {
                HELD_HERE.remove(path);
                throw e;
            }
        } catch (IOException e) {
            throw new EmbeddedDatabaseException("The data directory " + directory + " cannot be used: " + e, e);
        }
    }

    private static FileChannel lock(Path directory, Path file) throws IOException {
        var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (channel.tryLock() == null) {
            channel.close();
            throw inUse(directory, Files.readString(file).strip());
        }
        var pid = ProcessHandle.current().pid() + "\n";
        var _ = channel.truncate(0).write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)));
        return channel;
    }

    private static DataDirectoryInUseException inUse(Path directory, String pid) {
        return new DataDirectoryInUseException(
                "The data directory %s is in use by another taskexec dev (pid %s).".formatted(directory, pid));
    }

    /** Its absolute path. */
    public Path path() {
        return path;
    }

    /** The API key kept in the file {@code api-key}, made by {@code fresh} the first time. */
    public String apiKey(Supplier<String> fresh) {
        return new KeyFile(path.resolve("api-key")).readOrCreate(fresh);
    }

    /** The key that encrypts secrets, kept in the file {@code secret-key}, made by {@code fresh} the first time. */
    public String secretKey(Supplier<String> fresh) {
        return new KeyFile(path.resolve("secret-key")).readOrCreate(fresh);
    }

    /** Returns the key that encrypts the secrets of a directory, held or not; null when it has none. */
    public static @Nullable String secretKeyIn(Path directory) {
        var file = directory.resolve("secret-key");
        return Files.exists(file)
                ? new KeyFile(file).readOrCreate(() -> {
                    throw new EmbeddedDatabaseException("The file " + file + " has just been removed.");
                })
                : null;
    }

    /** Lets the next process have it. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            throw new EmbeddedDatabaseException("The data directory " + path + " cannot be closed: " + e, e);
        } finally {
            HELD_HERE.remove(path);
        }
    }
}
