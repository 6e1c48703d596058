package io.taskexec.client.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run of a graph of jobs, in a list.
 *
 * @param status of a run that has not ended PENDING, RUNNING or CANCELLING
 */
public record WorkflowSummary(
        String workflowId,
        String jobId,
        String name,
        String status,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable String retryOf) {}
