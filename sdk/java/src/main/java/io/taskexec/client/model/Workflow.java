package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run of a graph of jobs.
 *
 * @param status that of an execution, or CANCELLING
 * @param input any JSON
 * @param output any JSON
 * @param error any JSON
 * @param jobs by name
 * @param criticalPath the jobs that the run has taken its time for, first to last
 */
public record Workflow(
        String workflowId,
        String jobId,
        String executionId,
        String name,
        @Nullable String definition,
        @Nullable Integer definitionVersion,
        String status,
        String failurePolicy,
        @Nullable Duration deadline,
        @Nullable JsonNode input,
        @Nullable JsonNode output,
        @Nullable Failure error,
        Instant createdAt,
        Instant scheduledFor,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable Long durationMs,
        @Nullable String retryOf,
        @Nullable String retriedAs,
        Map<String, Node> jobs,
        List<String> criticalPath) {
    /**
     * A job of the run.
     *
     * @param jobId absent before it was made
     * @param endpoint where it goes to
     * @param dependsOn the names of others
     * @param triggerRule when it runs
     * @param status how it stands
     * @param attemptCount the attempts that have begun
     * @param startedAt absent before it has begun
     * @param completedAt absent before it has ended
     * @param durationMs of its last attempt
     * @param error of one that has failed
     */
    public record Node(
            @Nullable String jobId,
            String endpoint,
            List<String> dependsOn,
            String triggerRule,
            ExecutionStatus status,
            int attemptCount,
            @Nullable Instant startedAt,
            @Nullable Instant completedAt,
            @Nullable Long durationMs,
            @Nullable Failure error) {}
}
