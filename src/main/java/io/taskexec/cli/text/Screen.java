package io.taskexec.cli.text;

import java.io.PrintWriter;
import java.util.List;

/** A terminal that shows the same thing over and over, each time in the place of the last. */
public final class Screen {
    private static final String HOME = "\u001b[H";
    private static final String CLEAR = "\u001b[2J";
    private static final String REST_OF_LINE = "\u001b[K";
    private static final String REST_OF_SCREEN = "\u001b[J";

    private final PrintWriter out;
    private boolean begun;

    public Screen(PrintWriter out) {
        this.out = out;
    }

    /** Shows these lines and nothing else. What is written over is not cleared before, so that nothing flickers. */
    public void show(List<String> lines) {
        out.print(begun ? HOME : CLEAR + HOME);
        begun = true;
        lines.forEach(line -> out.print(line + REST_OF_LINE + "\r\n"));
        out.print(REST_OF_SCREEN);
        out.flush();
    }
}
