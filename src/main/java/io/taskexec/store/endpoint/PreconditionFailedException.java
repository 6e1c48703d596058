package io.taskexec.store.endpoint;

/** A resource is not in the state that a write was meant for; nothing has been changed. */
public final class PreconditionFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public PreconditionFailedException() {
        super("The resource has changed.", null, false, false);
    }
}
