package io.taskexec.lease;

/** The ways in which an attempt of a pull worker ends, as they are counted. */
enum LeaseEnd {
    COMPLETED,
    FAILED,
    DEFERRED,
    RELEASED,
    TIMED_OUT
}
