package io.taskexec.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Keeps unpacked PostgreSQL programs, so that only the first start on a machine pays for unpacking. */
record BinaryCache(Path root) {

    /** The user's own cache, or a place below {@code dataDir} when the user has no home that can be written to. */
    static BinaryCache forUser(Path dataDir) throws IOException {
        var candidate = userCache();
        try {
            if (candidate.isAbsolute()) {
                OwnerOnly.createDirectories(candidate);
                if (Files.isWritable(candidate)) {
                    return new BinaryCache(candidate);
                }
            }
        } catch (IOException _) {
            // A user without a home, such as a service account, is no error: the data directory can be written to.
        }
        var own = dataDir.resolve("cache");
        OwnerOnly.createDirectories(own);
        return new BinaryCache(own);
    }

    private static Path userCache() {
        var xdg = System.getenv("XDG_CACHE_HOME");
        var base = xdg == null || xdg.isBlank() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(xdg);
        return base.resolve("taskexec");
    }

    /** Returns the directory of the programs, which the first call unpacks. */
    Path unpacked(Archive archive) throws IOException {
        var target = root.resolve("postgres-" + archive.fingerprint());
        if (Files.notExists(target)) {
            unpackOnce(archive, target);
        }
        return target;
    }

    // The lock keeps other processes out and the monitor other threads of this one. The rename makes the directory
    // appear whole: a process that is killed half-way leaves a draft, which the next one throws away.
    private void unpackOnce(Archive archive, Path target) throws IOException {
        synchronized (BinaryCache.class) {
            try (var channel = FileChannel.open(
                            root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var _ = channel.lock()) {
                if (Files.exists(target)) {
                    return;
                }
                var draft = target.resolveSibling(target.getFileName() + ".new");
                Directories.delete(draft);
                archive.unpack(draft);
                Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }
}
