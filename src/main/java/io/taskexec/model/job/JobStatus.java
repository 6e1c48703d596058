package io.taskexec.model.job;

/** Whether a job can still fire: a one-shot job is retired when its execution has ended. */
public enum JobStatus {
    ACTIVE,
    RETIRED
}
