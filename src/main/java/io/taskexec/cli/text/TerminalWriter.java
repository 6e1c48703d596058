package io.taskexec.cli.text;

import io.taskexec.model.VisibleText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * The writer of all commands. It escapes hidden characters of foreign text in every format, also when the output is
 * not a terminal. Only the colours of {@link AnsiStyle} and the sequences of {@link #command} pass.
 */
public final class TerminalWriter extends PrintWriter {
    private final boolean colored;

    private TerminalWriter(Writer target, boolean colored) {
        super(target, true);
        this.colored = colored;
    }

    /** Returns a writer for results, which may be coloured. */
    public static TerminalWriter ofOutput(Writer target) {
        return new TerminalWriter(target, true);
    }

    /** Returns a writer for messages. */
    public static TerminalWriter ofErrors(Writer target) {
        return new TerminalWriter(target, false);
    }

    /** Prints an escape sequence, which must not include foreign text. */
    public static void command(PrintWriter out, String sequence) {
        if (out instanceof TerminalWriter terminal) {
            terminal.writeAsIs(sequence);
        } else {
            out.print(sequence);
        }
    }

    private void writeAsIs(String text) {
        try {
            synchronized (lock) {
                out.write(text);
            }
        } catch (IOException _) {
            setError();
        }
    }

    @Override
    public void write(int c) {
        write(String.valueOf((char) c));
    }

    @Override
    public void write(char[] text, int begin, int length) {
        write(new String(text, begin, length));
    }

    @Override
    public void write(String text, int begin, int length) {
        var part = text.substring(begin, begin + length);
        var shown = VisibleText.hasHidden(part) ? shown(part) : part;
        super.write(shown, 0, shown.length());
    }

    private String shown(String text) {
        var shown = new StringBuilder(text.length() + 16);
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            var color = c == AnsiStyle.ESCAPE && colored ? AnsiStyle.sequenceLength(text, i) : 0;
            if (color > 0) {
                shown.append(text, i, i + color);
                i += color - 1;
            } else if (VisibleText.isHidden(c) && !isEndOfLine(text, i)) {
                shown.append(VisibleText.escape(c));
            } else {
                shown.append(c);
            }
        }
        return shown.toString();
    }

    private static boolean isEndOfLine(String text, int place) {
        return text.startsWith("\r\n", place);
    }
}
