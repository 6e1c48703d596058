package io.taskexec.clock;

/** Kinds of databases by their clock. It is no setting, since the command decides: only {@code dev} has a clock. */
public enum ClockMode {
    /** The database has no virtual clock. */
    NONE,
    /** The clock may have been moved by an earlier start, and must not have been. */
    UNMOVED,
    /** The clock can be moved. */
    VIRTUAL;

    /** The property that commands set. */
    public static final String PROPERTY = "taskexec.clock";
}
