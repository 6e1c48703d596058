package io.taskexec.cli.text;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the standard output is.
 *
 * @param interactive whether somebody looks at it, instead of a file or a program
 * @param width how many characters fit in a line; without a bound when nobody looks
 * @param height how many lines fit in it; without a bound when nobody looks
 * @param dumb whether it knows no escape sequences
 */
public record Terminal(boolean interactive, int width, int height, boolean dumb) {
    /** As long as it must be. */
    public static final int UNBOUNDED = Integer.MAX_VALUE;

    private static final int USUAL_WIDTH = 80;
    private static final int USUAL_HEIGHT = 24;
    private static final int IN = 0;
    private static final int OUT = 1;
    private static final int ERR = 2;
    private static final long PATIENCE_MS = 2000;

    /** What is there when nothing is known: text goes to a program. */
    public static final Terminal NONE = new Terminal(false, UNBOUNDED, UNBOUNDED, true);

    /** The terminal of this process. */
    public static Terminal ofOutput() {
        if (!isTerminal(OUT)) {
            return NONE;
        }
        var kind = System.getenv("TERM");
        var size = ask(new ProcessBuilder("stty", "size")
                        .redirectInput(Path.of("/dev/tty").toFile()))
                .orElse("")
                .strip()
                .split(" ", 2);
        var columns = number(System.getenv("COLUMNS"), number(size[size.length - 1], USUAL_WIDTH));
        return new Terminal(true, columns, number(size[0], USUAL_HEIGHT), kind == null || kind.equals("dumb"));
    }

    /** The same with the size that it has by now; what is none does not become one. */
    public Terminal again() {
        return interactive ? ofOutput() : this;
    }

    /** Whether things can be drawn in place. */
    public boolean drawable() {
        return interactive && !dumb;
    }

    /** Whether the standard error is shown to somebody. */
    public static boolean isErrorShown() {
        return isTerminal(ERR);
    }

    /** Whether the standard input is what somebody types. */
    public static boolean isInputTyped() {
        return isTerminal(IN);
    }

    /**
     * Java tells it of all together only, so the system is asked: Linux by a link, which takes no time, and another Unix with
     * a program.
     */
    private static boolean isTerminal(int descriptor) {
        try {
            var device = Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(descriptor)))
                    .toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty") || device.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException _) {
            return isTerminalToTest(descriptor);
        }
    }

    private static boolean isTerminalToTest(int descriptor) {
        return ask(new ProcessBuilder("test", "-t", Integer.toString(descriptor))
                        .redirectInput(Redirect.INHERIT)
                        .redirectOutput(Redirect.INHERIT)
                        .redirectError(Redirect.INHERIT))
                .isPresent();
    }

    private static int number(@Nullable String text, int otherwise) {
        return text != null && text.matches("[1-9]\\d{0,4}") ? Integer.parseInt(text) : otherwise;
    }

    /** What a program prints that ends well; empty otherwise. */
    static Optional<String> ask(ProcessBuilder builder) {
        try {
            var process = builder.start();
            var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var ended = process.waitFor(PATIENCE_MS, TimeUnit.MILLISECONDS);
            return ended && process.exitValue() == 0 ? Optional.of(printed) : Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
