package io.taskexec.store;

/** Something still depends on what was to be deleted. */
public final class InUseException extends RuntimeException {
    private static final long serialVersionUID = 1;

    InUseException(String what) {
        super(what, null, false, false);
    }
}
