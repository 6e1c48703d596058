package io.taskexec.cli.text;

import java.io.PrintWriter;

/** Draws the progress of long work on one line of a terminal. */
public final class ProgressBar implements AutoCloseable {
    private static final String START_OF_LINE = "\r\u001b[K";
    private static final int WIDTH = 30;
    private static final long BETWEEN_DRAWINGS = 100_000_000;

    private final PrintWriter out;
    private final boolean shown;
    private final String what;
    private final long total;
    private long drawnAt;
    private boolean drawn;

    /** @param total the amount of work; 0 when it is unknown */
    public ProgressBar(PrintWriter out, boolean shown, String what, long total) {
        this.out = out;
        this.shown = shown;
        this.what = what;
        this.total = total;
        this.drawnAt = System.nanoTime() - BETWEEN_DRAWINGS;
    }

    /** Reports the amount of work done. */
    public void update(long done, String detail) {
        var now = System.nanoTime();
        if (!shown || now - drawnAt < BETWEEN_DRAWINGS) {
            return;
        }
        drawnAt = now;
        drawn = true;
        TerminalWriter.command(out, START_OF_LINE);
        out.print(line(what, done, total, detail));
        out.flush();
    }

    static String line(String what, long done, long total, String detail) {
        if (total <= 0) {
            return what + " " + detail;
        }
        var share = Math.clamp((double) done / total, 0, 1);
        var filled = (int) (share * WIDTH);
        return "%s [%s%s] %3d%% %s"
                .formatted(what, "#".repeat(filled), ".".repeat(WIDTH - filled), (int) (share * 100), detail);
    }

    /** Removes the line, so that a message can be printed. */
    public void clear() {
        if (drawn) {
            TerminalWriter.command(out, START_OF_LINE);
            out.flush();
            drawn = false;
        }
    }

    @Override
    public void close() {
        clear();
    }
}
