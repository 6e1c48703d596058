package io.taskexec.model.job;

/** The life of an execution; the last six are final. */
public enum ExecutionStatus {
    /** Its parents have not ended, or not all. */
    WAITING,
    /** Its time has not come. */
    PENDING,
    /** Due, waiting for a worker. */
    QUEUED,
    /** Leased by a worker. */
    RUNNING,
    /** Delivered; its receiver says later how it ends. */
    DEFERRED,
    /** Waiting for its next attempt. */
    RETRYING,
    SUCCESS,
    FAILED,
    CANCELLED,
    /** No attempt began in time. */
    EXPIRED,
    /** Its trigger rule cannot hold. */
    SKIPPED,
    /** Another job took its key before it began. */
    SUPERSEDED;

    /** Whether nothing happens to it any more. */
    public boolean isFinal() {
        return switch (this) {
            case WAITING, PENDING, QUEUED, RUNNING, DEFERRED, RETRYING -> false;
            case SUCCESS, FAILED, CANCELLED, EXPIRED, SKIPPED, SUPERSEDED -> true;
        };
    }
}
