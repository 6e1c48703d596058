package io.taskexec;

/** The program cannot start as it is configured; the message is the one sentence that the user gets. */
final class StartRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    StartRefusedException(String message) {
        super(message, null, false, false);
    }
}
