package io.taskexec.resolve;

/** What a template resolves to cannot be sent; the message is a sentence for the owner of the endpoint, without values. */
final class UnsendableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnsendableException(String reason) {
        super(reason, null, false, false);
    }
}
