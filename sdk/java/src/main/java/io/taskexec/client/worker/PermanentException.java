package io.taskexec.client.worker;

import org.jspecify.annotations.Nullable;

/** Fails an execution: another attempt would fail too. */
public class PermanentException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final @Nullable String code;

    /**
     * Makes one.
     *
     * @param message for people
     */
    public PermanentException(String message) {
        this(message, null, null);
    }

    /**
     * Makes one.
     *
     * @param message for people
     * @param code for programs, such as {@code NO_SUCH_FILE}; null for none
     * @param cause null for none
     */
    public PermanentException(String message, @Nullable String code, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /**
     * Returns the code.
     *
     * @return the code, or null
     */
    public @Nullable String code() {
        return code;
    }
}
