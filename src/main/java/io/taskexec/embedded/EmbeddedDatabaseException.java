package io.taskexec.embedded;

/** The embedded database or its data directory cannot be used; the message says why in words for the user. */
public final class EmbeddedDatabaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EmbeddedDatabaseException(String message) {
        super(message);
    }

    EmbeddedDatabaseException(String message, Throwable cause) {
        super(message, cause);
    }
}
