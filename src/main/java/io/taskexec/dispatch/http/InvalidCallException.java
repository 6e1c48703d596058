package io.taskexec.dispatch.http;

/** A call that cannot be sent as it stands; the message is a sentence for the owner of the endpoint. */
public final class InvalidCallException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public InvalidCallException(String reason) {
        super(reason, null, false, false);
    }
}
