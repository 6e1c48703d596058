package io.taskexec.model.job;

/** How far an operation is. */
public enum OperationStatus {
    RUNNING,
    /** It has looked at all executions there were, or changed as many as it may. */
    SUCCEEDED,
    CANCELLED,
    /** A batch failed over and over. */
    FAILED
}
