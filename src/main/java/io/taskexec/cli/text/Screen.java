package io.taskexec.cli.text;

import java.io.PrintWriter;
import java.util.List;

/** A terminal that shows the same thing over and over, each time in the place of the last. */
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
     * Shows as many of these lines as there is room for, and nothing else. What is written over is not cleared before, so
     * that nothing flickers.
     *
     * @param height of the terminal, whose last line stays free for the cursor
     */
    public void show(List<String> lines, int height) {
        TerminalWriter.command(out, begun ? HOME : CLEAR + HOME);
        begun = true;
        // A line that goes on in the next one would be in the way of another.
        TerminalWriter.command(out, CUT_LINES);
        lines.stream().limit(Math.max(1, height - 1)).forEach(line -> {
            out.print(line);
            TerminalWriter.command(out, REST_OF_LINE + "\r\n");
        });
        TerminalWriter.command(out, WRAP_LINES + REST_OF_SCREEN);
        out.flush();
    }
}
