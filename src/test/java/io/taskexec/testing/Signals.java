package io.taskexec.testing;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Signals of Unix, for those that Java does not send. */
final class Signals {
    private Signals() {}

    /** Sends one, by its name without {@code SIG}, to a process. */
    static void send(String name, long pid) {
        try {
            var _ = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .start()
                    .onExit()
                    .join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
