package io.taskexec.store.sql;

/** A resource names another one that does not exist. */
public final class MissingReferenceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Kind kind;

    public MissingReferenceException(Kind kind) {
        super(kind.name(), null, false, false);
        this.kind = kind;
    }

    /** What is missing. */
    public Kind kind() {
        return kind;
    }

    /** The kinds of resource that others refer to. */
    public enum Kind {
        PAYLOAD_SPEC,
        CONFIG,
        SECRET,
        ON_SUCCESS,
        ON_FAILURE
    }
}
