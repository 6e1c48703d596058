package io.taskexec.job;

import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The {@code trigger} of a job: when it starts. */
@Schema(name = "JobTrigger")
public enum TriggerKind {
    IMMEDIATE,
    DELAYED,
    CRON,
    INTERVAL
}
