package io.taskexec.client.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A time of a schedule, and what became of it. */
public record Tick(
        Instant scheduledAt,
        String outcome,
        long latenessMs,
        @Nullable String executionId) {}
