package io.taskexec.model.job;

/** The state of a job; an active one can still fire. A one-shot job is retired when its execution has ended. */
public enum JobStatus {
    ACTIVE,
    RETIRED
}
