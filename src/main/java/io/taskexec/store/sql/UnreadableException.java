package io.taskexec.store.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A row does not have the form that it was written in; the message says which one and why, in one line. */
public final class UnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int LONGEST = 300;

    /** @param what the row, as the beginning of a sentence */
    public UnreadableException(String what, Throwable cause) {
        super(what + " cannot be read: " + reason(cause), cause);
    }

    /** Returns what {@code reading} returns; any failure of it is one to read {@code what}. */
    public static <T extends @Nullable Object> T reading(String what, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (RuntimeException e) {
            throw new UnreadableException(what, e);
        }
    }

    private static String reason(Throwable failure) {
        // Its own message would quote what stands around the fault, which may be anybody's data.
        var message = failure.getCause() instanceof JsonProcessingException e
                ? e.getOriginalMessage()
                : String.valueOf(failure.getMessage());
        // A NUL cannot be stored.
        var line = message.replaceAll("\\p{Cntrl}+", " ");
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "...";
    }
}
