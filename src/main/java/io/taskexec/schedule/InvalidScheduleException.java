package io.taskexec.schedule;

import java.io.Serial;

/** A schedule cannot be accepted; the message is one sentence for its author. */
public final class InvalidScheduleException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private static final int MAX_QUOTED = 40;

    InvalidScheduleException(String message) {
        super(message);
    }

    /** {@code text} in quotes, cut to a readable length and without control characters. */
    static String quoted(String text) {
        var cut = text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + "...";
        return "'" + cut.replaceAll("\\p{Cntrl}", " ") + "'";
    }
}
