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

    /** The faults with their places in the schema; null when the places are unknown. */
    public @Nullable Violation violation() {
        return violation;
    }
}
