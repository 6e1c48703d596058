package io.taskexec.cli.text;

import java.io.PrintWriter;
import java.util.List;

/** Redraws lines in place on a terminal. */
public final class Screen {
    private static final String HOME = "\u001b[H";
    private static final String CLEAR = "\u001b[2J";
    private static final String REST_OF_LINE = "\u001b[K";
    private static final String REST_OF_SCREEN = "\u001b[J";
    private static final String CUT_LINES = "\u001b[?7l";
    private static final String WRAP_LINES = "\u001b[?7h";

    private final PrintWriter out;
    private boolean begun;

    public Screen(PrintWriter out) {
        this.out = out;
    }

    /**
     * Draws the lines that fit. Lines are overwritten without clearing them first, which avoids flicker.
     *
     * @param height the height of the terminal; the last line stays free for the cursor
     */
    public void show(List<String> lines, int height) {
        TerminalWriter.command(out, begun ? HOME : CLEAR + HOME);
        begun = true;
        // A wrapped line would cover the next one.
        TerminalWriter.command(out, CUT_LINES);
        lines.stream().limit(Math.max(1, height - 1)).forEach(line -> {
            out.print(line);
            TerminalWriter.command(out, REST_OF_LINE + "\r\n");
        });
        TerminalWriter.command(out, WRAP_LINES + REST_OF_SCREEN);
        out.flush();
    }
}
