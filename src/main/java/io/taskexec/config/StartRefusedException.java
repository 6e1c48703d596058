package io.taskexec.config;

/** The program cannot start as it is configured; the message is the one sentence that the user gets. */
public final class StartRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StartRefusedException(String message) {
        super(message, null, false, false);
    }
}
