package io.taskexec.model.lease;

/** The reason why a pull worker is to stop an attempt. */
public enum CancelReason {
    /** The execution was cancelled: its lease is gone. */
    CANCELLED,
    /** An execution of priority 0 waits: the worker should release the lease. */
    PREEMPTED,
    /** The attempt took longer than its timeout: its lease is gone. */
    TIMED_OUT
}
