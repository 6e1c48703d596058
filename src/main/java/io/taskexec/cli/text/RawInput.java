package io.taskexec.cli.text;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads single keys from the terminal, whose mode is restored on close and at the end of the program. */
public final class RawInput implements AutoCloseable {
    private final @Nullable String before;
    private final Thread restoring = new Thread(this::restore, "restore-terminal");

    private RawInput(@Nullable String before) {
        this.before = before;
    }

    /** Switches the terminal to raw mode. Without a terminal no key is ever read. */
    public static RawInput open() {
        if (!Terminal.isInputTyped()) {
            return new RawInput(null);
        }
        var before = stty("-g").strip();
        if (before.isEmpty()) {
            return new RawInput(null);
        }
        var keys = new RawInput(before);
        Runtime.getRuntime().addShutdownHook(keys.restoring);
        var _ = stty("-icanon", "-echo", "min", "0", "time", "0");
        return keys;
    }

    /** Returns whether a key has been pressed since the last call. */
    public boolean hasBeenPressed(char key) throws IOException {
        var pressed = false;
        while (before != null && System.in.available() > 0) {
            pressed |= System.in.read() == key;
        }
        return pressed;
    }

    private static String stty(String... arguments) {
        var words = new String[arguments.length + 1];
        words[0] = "stty";
        System.arraycopy(arguments, 0, words, 1, arguments.length);
        return Terminal.output(new ProcessBuilder(words)
                        .redirectInput(Path.of("/dev/tty").toFile())
                        .redirectError(Redirect.DISCARD))
                .orElse("");
    }

    private void restore() {
        if (before != null) {
            var _ = stty(before);
        }
    }

    @Override
    public void close() {
        restore();
        if (before != null) {
            var _ = Runtime.getRuntime().removeShutdownHook(restoring);
        }
    }
}
