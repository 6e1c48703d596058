package io.taskexec.store.sql;

/** The schema cannot be looked at or brought up to date; the message is one line. */
public final class MigrationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    MigrationException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
