package io.taskexec.store.migration;

import org.jspecify.annotations.Nullable;

/** The schema cannot be looked at or brought up to date; the message is one line. */
public final class MigrationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    MigrationException(String reason, @Nullable Throwable cause) {
        super(reason, cause);
    }
}
