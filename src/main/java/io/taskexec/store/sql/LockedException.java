package io.taskexec.store.sql;

/** Another transaction, such as one of an application, keeps a row or a key locked; trying again later helps. */
public final class LockedException extends UnavailableException {
    private static final long serialVersionUID = 1;

    public LockedException() {
        super("another transaction has locked what is to be changed");
    }
}
