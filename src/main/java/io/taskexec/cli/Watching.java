package io.taskexec.cli;

import java.io.IOException;
import java.time.Duration;

/** Does the same over and over, until somebody interrupts it. */
public final class Watching {
    private Watching() {}

    /** One look. */
    @FunctionalInterface
    public interface Look {
        void look() throws RefusedException, IOException, InterruptedException;
    }

    /** Looks, waits and looks again; ends with the exit code of what was asked to end. */
    public static int every(Duration interval, Look look) throws RefusedException, IOException {
        try {
            while (true) {
                look.look();
                Thread.sleep(interval);
            }
        } catch (InterruptedException _) {
            return ExitCode.DONE;
        } catch (IOException e) {
            if (e.getCause() instanceof InterruptedException) {
                return ExitCode.DONE;
            }
            throw e;
        }
    }
}
