package io.taskexec.testing;

import java.nio.file.Path;

/** Directories for files that tests leave behind. Each JVM that runs tests beside others has its own. */
public final class TestOutput {
    /** The number of this JVM, from 1. */
    static final int FORK = Integer.getInteger("taskexec.fork", 1);

    private static final Path DIRECTORY = Path.of("target", "tests-" + FORK);

    private TestOutput() {}

    /** The path of a directory that may not be there yet. */
    public static Path of(String name) {
        return DIRECTORY.resolve(name);
    }
}
