package io.taskexec.client.model;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** The states of an execution. */
public enum ExecutionStatus {
    /** It waits for other jobs. */
    WAITING,
    /** Its time has not come. */
    PENDING,
    /** It is due. */
    QUEUED,
    /** An attempt runs. */
    RUNNING,
    /** Its receiver says later how the attempt ends. */
    DEFERRED,
    /** An attempt has failed, and another one follows. */
    RETRYING,
    /** It has succeeded. */
    SUCCESS,
    /** It has failed. */
    FAILED,
    /** It was cancelled. */
    CANCELLED,
    /** It has not begun in time. */
    EXPIRED,
    /** Its trigger rule or condition did not hold. */
    SKIPPED,
    /** Another job has taken its place. */
    SUPERSEDED,
    /** A state that this version does not know. */
    @JsonEnumDefaultValue
    UNKNOWN;

    /**
     * Tells whether it has ended.
     *
     * @return whether nothing changes any more
     */
    public boolean isFinal() {
        return switch (this) {
            case SUCCESS, FAILED, CANCELLED, EXPIRED, SKIPPED, SUPERSEDED -> true;
            case WAITING, PENDING, QUEUED, RUNNING, DEFERRED, RETRYING, UNKNOWN -> false;
        };
    }
}
