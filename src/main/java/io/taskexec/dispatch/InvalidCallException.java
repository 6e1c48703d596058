package io.taskexec.dispatch;

/** A call that cannot be sent as it stands; the message is a sentence for the owner of the endpoint. */
final class InvalidCallException extends RuntimeException {
    private static final long serialVersionUID = 1;

    InvalidCallException(String reason) {
        super(reason, null, false, false);
    }
}
