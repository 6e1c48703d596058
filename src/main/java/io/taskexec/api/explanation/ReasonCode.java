package io.taskexec.api.explanation;

import io.taskexec.model.Option;

/** The reasons why an execution is in its state, those of one that waits in the order in which they are resolved. */
enum ReasonCode implements Option {
    RUNNING,
    /** It runs, but its worker was not heard of lately. */
    WORKER_SILENT,
    /** Its worker has lost it, and it is claimed again. */
    LEASE_LOST,
    /** It has expired and is about to be ended. */
    EXPIRING,
    WAITING_FOR_PARENTS,
    /** It is the run of a workflow, whose jobs have not ended. */
    WAITING_FOR_JOBS,
    /** Its trigger rule cannot hold any more; it is about to be ended. */
    SKIPPING,
    DEFERRED,
    /** Its run time has not come. */
    NOT_DUE,
    /** It waits for its next attempt. */
    RETRYING,
    /** It was due, and is due again later. */
    POSTPONED,
    KEY_AT_CAP,
    RATE_LIMITED,
    /** Others are ahead in the line of its flow key. */
    KEY_LINE,
    QUEUE_PAUSED,
    NO_WORKER,
    PRESSURE,
    QUEUE_AT_CAP,
    /** Its queue was paused, and starts slowly. */
    SLOW_START,
    ENDPOINT_DISABLED,
    BREAKER_OPEN,
    /** Workers were lost over it again and again. */
    POISONED,
    /** It waits for a worker behind others. */
    IN_LANE,
    /** It is about to be claimed. */
    READY,
    SUCCEEDED,
    /** It failed, and was not replayed. */
    DEAD_LETTER,
    /** It failed, and was replayed. */
    FAILED,
    CANCELLED,
    EXPIRED,
    SKIPPED,
    /** Another job took its key before it began. */
    SUPERSEDED
}
