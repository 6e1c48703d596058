package io.taskexec.resolve;

/** The result of a template cannot be sent; the message is a sentence for the owner of the endpoint, without values. */
final class UnsendableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnsendableException(String reason) {
        super(reason, null, false, false);
    }
}
