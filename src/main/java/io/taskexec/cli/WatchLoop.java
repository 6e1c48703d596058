package io.taskexec.cli;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Repeats a request until it is interrupted, has told the end, or its output cannot be written any more. */
public final class WatchLoop {
    private final Duration interval;
    private final PrintWriter out;
    private final PrintWriter err;
    private boolean begun;
    private @Nullable String lastError;

    /**
     * @param out what the looks print to
     * @param err receives a message when the server is unavailable
     */
    public WatchLoop(Duration interval, PrintWriter out, PrintWriter err) {
        this.interval = interval;
        this.out = out;
        this.err = err;
    }

    /** One request, and the output of its answer. */
    @FunctionalInterface
    public interface Look {
        void look() throws IOException, InterruptedException;
    }

    /** Repeats the request; returns the exit code after an interruption, or when the output is lost. */
    public int run(Look look) throws IOException {
        var _ = runUntil(() -> false, look);
        return ExitCode.DONE;
    }

    /**
     * Repeats the request until a condition holds after it, or the output is lost, as when {@code head} has ended;
     * returns false after an interruption before.
     */
    public boolean runUntil(BooleanSupplier end, Look look) throws IOException {
        try {
            tryOnce(look);
            while (!end.getAsBoolean() && !out.checkError()) {
                Thread.sleep(interval);
                tryOnce(look);
            }
            return true;
        } catch (InterruptedException _) {
            return false;
        }
    }

    /** An error before the first success is final; later ones are retried. */
    private void tryOnce(Look look) throws IOException, InterruptedException {
        try {
            look.look();
            begun = true;
            lastError = null;
        } catch (RefusedException e) {
            if (!begun || !e.isTransient()) {
                throw e;
            }
            warnOnce("The server refuses: " + e.getMessage() + " Trying again.");
        } catch (IOException e) {
            if (e.getCause() instanceof InterruptedException) {
                throw new InterruptedException();
            }
            if (!begun) {
                throw e;
            }
            warnOnce("No valid answer: " + e.getMessage() + ". Trying again.");
        }
    }

    private void warnOnce(String sentence) {
        if (!sentence.equals(lastError)) {
            err.println(sentence);
            err.flush();
        }
        lastError = sentence;
    }
}
