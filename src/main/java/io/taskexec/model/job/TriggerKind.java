package io.taskexec.model.job;

/** The {@code trigger} of a job: when it starts. */
public enum TriggerKind {
    IMMEDIATE,
    DELAYED,
    CRON,
    INTERVAL
}
