package io.taskexec.model.job;

/** The state of an operation. */
public enum OperationStatus {
    RUNNING,
    /** It has looked at all executions there were, or changed as many as it may. */
    SUCCEEDED,
    CANCELLED,
    /** A batch failed over and over. */
    FAILED
}
