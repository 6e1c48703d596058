package io.taskexec.store.sql;

/** Something of that name exists already. */
public final class NameTakenException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NameTakenException(String name) {
        super(name, null, false, false);
    }
}
