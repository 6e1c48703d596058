package io.taskexec.api;

import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The {@code trigger} of a job: when it starts. */
@Schema(name = "JobTrigger")
enum TriggerKind {
    IMMEDIATE,
    DELAYED,
    CRON,
    INTERVAL
}
