package io.taskexec.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files of tests. Those that they write are below {@code target}, where each of several JVMs has its own. */
public final class TestFiles {
    /** The number of this JVM among those of the run, from 1 on. */
    static final int FORK = Integer.getInteger("taskexec.fork", 1);

    private TestFiles() {}

    /** The directory of this name. */
    public static Path directory(String name) {
        return Path.of("target", FORK == 1 ? name : name + "-" + FORK);
    }

    /** The text of a file. */
    public static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
