package io.taskexec.schedule;

import java.io.Serial;

/** A schedule cannot be accepted; the message is one sentence for its author. */
public final class InvalidScheduleException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private static final int MAX_QUOTED = 40;

    private final Part part;

    /** The faulty part of a schedule. */
    public enum Part {
        EXPRESSION,
        ZONE,
        INTERVAL,
        START
    }

    /** Of an expression. */
    InvalidScheduleException(String message) {
        this(Part.EXPRESSION, message);
    }

    InvalidScheduleException(Part part, String message) {
        super(message);
        this.part = part;
    }

    public Part part() {
        return part;
    }

    /** {@code text} in quotes, cut to a readable length and without control characters. */
    static String quoted(String text) {
        var cut = text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + "...";
        return "'" + cut.replaceAll("\\p{Cntrl}", " ") + "'";
    }
}
