package io.taskexec.model;

/** What is done to many executions. */
public enum OperationAction {
    /** Repeats executions that have ended. */
    RETRY,
    /** Ends executions that wait. */
    CANCEL
}
