package io.taskexec.store.sql;

/** There is as much of it as there may be. */
public final class LimitReachedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public LimitReachedException(String message) {
        super(message, null, false, false);
    }
}
