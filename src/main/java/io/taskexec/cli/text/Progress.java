package io.taskexec.cli.text;

import java.io.PrintWriter;

/** How far long work is, in one line that is written over and over; nothing when nobody looks. */
public final class Progress implements AutoCloseable {
    private static final String START_OF_LINE = "\r\u001b[K";
    private static final int WIDTH = 30;
    private static final long BETWEEN_DRAWINGS = 100_000_000;

    private final PrintWriter out;
    private final boolean shown;
    private final String what;
    private final long total;
    private long drawnAt;
    private boolean drawn;

    /**
     * A line that is not drawn yet.
     *
     * @param total how much there is to do; 0 when nobody knows
     */
    public Progress(PrintWriter out, boolean shown, String what, long total) {
        this.out = out;
        this.shown = shown;
        this.what = what;
        this.total = total;
        this.drawnAt = System.nanoTime() - BETWEEN_DRAWINGS;
    }

    /** So much is done now. */
    public void reach(long done, String detail) {
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

    /** Takes the line away, so that messages stand alone. */
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
