package io.taskexec.model;

/** The life of an execution; the last three are final. */
public enum ExecutionStatus {
    /** Its time has not come. */
    PENDING,
    /** Due, waiting for a worker. */
    QUEUED,
    /** Leased by a worker. */
    RUNNING,
    /** Waiting for its next attempt. */
    RETRYING,
    SUCCESS,
    FAILED,
    CANCELLED
}
