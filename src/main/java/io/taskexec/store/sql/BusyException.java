package io.taskexec.store.sql;

/** More work is waiting for the database than its queue may hold; trying again later helps. */
public final class BusyException extends UnavailableException {
    private static final long serialVersionUID = 1;

    BusyException(String what) {
        super("too many are waiting: " + what);
    }
}
