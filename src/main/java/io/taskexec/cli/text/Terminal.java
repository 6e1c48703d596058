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
 * The terminal of the standard output, if there is one.
 *
 * @param interactive whether the output is a terminal, not a file or a pipe
 * @param width characters in a line; unbounded without a terminal
 * @param height lines; unbounded without a terminal
 * @param dumb whether it supports no escape sequences
 */
public record Terminal(boolean interactive, int width, int height, boolean dumb) {
    /** No limit. */
    public static final int UNBOUNDED = Integer.MAX_VALUE;

    private static final int DEFAULT_WIDTH = 80;
    private static final int DEFAULT_HEIGHT = 24;
    private static final int IN = 0;
    private static final int OUT = 1;
    private static final int ERR = 2;
    private static final long TIMEOUT_MS = 2000;

    /** The output is not a terminal. */
    public static final Terminal NONE = new Terminal(false, UNBOUNDED, UNBOUNDED, true);

    /** Detects the terminal of this process. */
    public static Terminal ofOutput() {
        if (!isTerminal(OUT)) {
            return NONE;
        }
        var kind = System.getenv("TERM");
        var size = output(new ProcessBuilder("stty", "size")
                        .redirectInput(Path.of("/dev/tty").toFile()))
                .orElse("")
                .strip()
                .split(" ", 2);
        var columns = number(System.getenv("COLUMNS"), number(size[size.length - 1], DEFAULT_WIDTH));
        return new Terminal(true, columns, number(size[0], DEFAULT_HEIGHT), kind == null || kind.equals("dumb"));
    }

    /** Returns the terminal with its current size. */
    public Terminal refreshed() {
        return interactive ? ofOutput() : this;
    }

    /** Returns whether escape sequences can be used. */
    public boolean drawable() {
        return interactive && !dumb;
    }

    /** Returns whether the standard error is a terminal. */
    public static boolean isErrorShown() {
        return isTerminal(ERR);
    }

    /** Returns whether the standard input is a terminal. */
    public static boolean isInputTyped() {
        return isTerminal(IN);
    }

    /**
     * Java only tells for all streams together. On Linux a link in /proc tells for each, without a process; other
     * systems run {@code test -t}.
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
        return output(new ProcessBuilder("test", "-t", Integer.toString(descriptor))
                        .redirectInput(Redirect.INHERIT)
                        .redirectOutput(Redirect.INHERIT)
                        .redirectError(Redirect.INHERIT))
                .isPresent();
    }

    private static int number(@Nullable String text, int fallback) {
        return text != null && text.matches("[1-9]\\d{0,4}") ? Integer.parseInt(text) : fallback;
    }

    /** Returns the output of a program; empty when it fails. */
    static Optional<String> output(ProcessBuilder builder) {
        try {
            var process = builder.start();
            var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var ended = process.waitFor(TIMEOUT_MS, TimeUnit.MILLISECONDS);
            return ended && process.exitValue() == 0 ? Optional.of(printed) : Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
