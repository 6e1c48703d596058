package io.taskexec.schema;

/** A schema that cannot be used; the message is fit for the client. */
public final class InvalidSchemaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    InvalidSchemaException(String reason) {
        super(reason);
    }
}
