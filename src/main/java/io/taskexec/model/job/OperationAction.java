package io.taskexec.model.job;

import io.taskexec.model.Option;

/** The action of an operation on many executions. */
public enum OperationAction implements Option {
    /** Repeats executions that have ended. */
    RETRY,
    /** Ends executions that wait. */
    CANCEL
}
