package io.taskexec.schema;

/** An input that cannot be checked within bounds; the message is fit for the client. */
final class UncheckableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UncheckableException(String reason) {
        super(reason);
    }

    /** The violation that stands for the whole input. */
    Violation violation() {
        return new Violation("", String.valueOf(getMessage()));
    }
}
