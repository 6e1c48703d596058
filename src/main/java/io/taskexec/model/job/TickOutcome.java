package io.taskexec.model.job;

/** The outcome of a tick. */
public enum TickOutcome {
    /** It became an execution. */
    FIRED,
    /** An execution before it had not ended. */
    SKIPPED_OVERLAP,
    /** The schedule was paused. */
    SKIPPED_PAUSED,
    /** It was late, and a newer one fired for it. */
    COLLAPSED,
    /** It was too late. */
    MISSED,
    /** The clock skipped or repeated its local time, and the schedule's policy does not let it fire. */
    SUPPRESSED_DST
}
