package io.taskexec.testing;

import java.nio.file.Path;

/** Names the directories below {@code target} that tests write to. A run may have several JVMs: each has its own. */
public final class TestFiles {
    /** The number of this JVM among those of the run, from 1 on. */
    static final int FORK = Integer.getInteger("taskexec.fork", 1);

    private TestFiles() {}

    /** The directory of this name. */
    public static Path directory(String name) {
        return Path.of("target", FORK == 1 ? name : name + "-" + FORK);
    }
}
