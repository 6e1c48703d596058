package io.taskexec.cli;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Does the same over and over, until somebody interrupts it. */
public final class Watching {
    private final Duration interval;
    private final PrintWriter err;
    private boolean begun;
    private @Nullable String trouble;

    /** @param err is told when a server is away for a while */
    public Watching(Duration interval, PrintWriter err) {
        this.interval = interval;
        this.err = err;
    }

    /** One look. */
    @FunctionalInterface
    public interface Look {
        void look() throws RefusedException, IOException, InterruptedException;
    }

    /** Looks, waits and looks again; ends with the exit code of what was asked to end. */
    public int at(Look look) throws RefusedException, IOException {
        try {
            while (true) {
                lookOnce(look);
                Thread.sleep(interval);
            }
        } catch (InterruptedException _) {
            return ExitCode.DONE;
        }
    }

    /** What never worked is a mistake of somebody; what did will do so again. */
    private void lookOnce(Look look) throws RefusedException, IOException, InterruptedException {
        try {
            look.look();
            begun = true;
            trouble = null;
        } catch (RefusedException e) {
            if (!begun || !e.isPassing()) {
                throw e;
            }
            sayOnce("The server refuses: " + e.getMessage() + " Trying again.");
        } catch (IOException e) {
            if (e.getCause() instanceof InterruptedException) {
                throw new InterruptedException();
            }
            if (!begun) {
                throw e;
            }
            sayOnce("There is no proper answer: " + e.getMessage() + ". Trying again.");
        }
    }

    private void sayOnce(String sentence) {
        if (!sentence.equals(trouble)) {
            err.println(sentence);
            err.flush();
        }
        trouble = sentence;
    }
}
