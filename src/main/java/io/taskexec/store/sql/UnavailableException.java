package io.taskexec.store.sql;

/**
 * The database cannot do its work at the moment, through no fault of who asked; the same may work later. It has no
 * stack trace: the thrower has logged the cause, once and not for every request.
 */
public sealed class UnavailableException extends RuntimeException permits BusyException, LockedException {
    private static final long serialVersionUID = 1;

    UnavailableException(String reason) {
        super(reason, null, false, false);
    }
}
