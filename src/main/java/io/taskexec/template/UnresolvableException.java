package io.taskexec.template;

/**
 * A template that has no value in its scope; another attempt with the same scope would only repeat that. The message is
 * fit for the client: it names paths and never contains values.
 */
public final class UnresolvableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnresolvableException(Reference reference, String reason) {
        this("{{" + reference + "}} cannot be resolved: " + reason);
    }

    /** With a whole sentence. */
    public UnresolvableException(String message) {
        super(message);
    }

    /** Left out: this is an answer for the client, thrown on the hot path, and where it arose is of no interest. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
