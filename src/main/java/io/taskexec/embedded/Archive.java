package io.taskexec.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** The packed PostgreSQL for this machine, one of several on the class path. */
record Archive(URL url) {
    private static final int OWNER_MAY_EXECUTE = 0100;

    static Archive forThisMachine() {
        var name = "postgres-%s-%s%s.txz".formatted(system(), architecture(), libc());
        var url = Archive.class.getResource("/" + name);
        if (url == null) {
            throw new EmbeddedDatabaseException("There is no embedded PostgreSQL for this machine (" + name
                    + "); set TE_DATABASE_URL and use taskexec serve.");
        }
        return new Archive(url);
    }

    private static String system() {
        var name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return name.startsWith("mac") ? "darwin" : name;
    }

    private static String architecture() {
        var name = System.getProperty("os.arch");
        return switch (name) {
            case "amd64" -> "x86_64";
            case "aarch64" -> "arm_64";
            default -> name;
        };
    }

    private static String libc() {
        return Files.exists(Path.of("/etc/alpine-release")) ? "-alpine_linux" : "";
    }

    /** Names the content, so that another version is unpacked to another place. */
    String fingerprint() throws IOException {
        var checksum = new CRC32();
        try (var stream = new CheckedInputStream(url.openStream(), checksum)) {
            var length = stream.transferTo(OutputStream.nullOutputStream());
            return "%08x-%d".formatted(checksum.getValue(), length);
        }
    }

    void unpack(Path target) throws IOException {
        try (var packed = new BufferedInputStream(url.openStream());
                var tar = new TarArchiveInputStream(new XZInputStream(packed))) {
            for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                unpack(entry, tar, target.resolve(entry.getName()).normalize());
            }
        }
    }

    private static void unpack(TarArchiveEntry entry, InputStream content, Path path) throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.getParent());
        if (entry.isSymbolicLink() || entry.isLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(content, path);
        if ((entry.getMode() & OWNER_MAY_EXECUTE) != 0 && !path.toFile().setExecutable(true, false)) {
            throw new IOException("cannot make " + path + " executable");
        }
    }
}
