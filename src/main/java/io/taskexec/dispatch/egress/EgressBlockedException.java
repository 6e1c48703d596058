package io.taskexec.dispatch.egress;

/** The target's address may not be called; the message says why, without naming an address the caller did not. */
public final class EgressBlockedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public EgressBlockedException(String reason) {
        // It is a verdict, not a defect: a stack trace would only cost time.
        super(reason, null, false, false);
    }
}
