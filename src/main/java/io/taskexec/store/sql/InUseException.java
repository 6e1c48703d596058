package io.taskexec.store.sql;

/** Something still depends on what was to be deleted. */
public final class InUseException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public InUseException(String what) {
        super(what, null, false, false);
    }
}
