package io.taskexec.cli.text;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Keys as they are pressed, without a line feed; the terminal is as it was when this is closed, or the program ends. */
public final class KeyPresses implements AutoCloseable {
    private final @Nullable String before;
    private final Thread restoring = new Thread(this::restore, "restore-terminal");

    private KeyPresses(@Nullable String before) {
        this.before = before;
    }

    /** Where there is no terminal that can do it, no key is ever pressed. */
    public static KeyPresses open() {
        if (!Terminal.isInputTyped()) {
            return new KeyPresses(null);
        }
        var before = stty("-g").strip();
        if (before.isEmpty()) {
            return new KeyPresses(null);
        }
        var keys = new KeyPresses(before);
        Runtime.getRuntime().addShutdownHook(keys.restoring);
        var _ = stty("-icanon", "-echo", "min", "0", "time", "0");
        return keys;
    }

    /** Whether a key has been pressed since this was asked last. */
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
        return Terminal.ask(new ProcessBuilder(words)
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
