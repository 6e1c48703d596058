package io.taskexec.schema;

import org.jspecify.annotations.Nullable;

/** A schema that cannot be used; the message is fit for the client. */
public final class InvalidSchemaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient @Nullable Violation violation;

    InvalidSchemaException(String reason) {
        this(reason, null);
    }

    InvalidSchemaException(String reason, @Nullable Violation violation) {
        super(reason);
        this.violation = violation;
    }

    /** What is wrong where in the schema; null when it is not known where. */
    public @Nullable Violation violation() {
        return violation;
    }
}
