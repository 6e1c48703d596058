package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One firing of a job. In the answer of a job it has its id, its status and its creation alone. */
public record Execution(
        String executionId,
        String jobId,
        String endpoint,
        String endpointType,
        int endpointVersion,
        ExecutionStatus status,
        int attemptCount,
        int maxAttempts,
        @Nullable Integer configVersion,
        Instant runAt,
        @Nullable Instant nextAttemptAt,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable Long durationMs,
        @Nullable JsonNode output,
        @Nullable Failure error,
        Instant createdAt,
        @Nullable String retriedAs,
        @Nullable JsonNode deferral,
        @Nullable Progress progress) {
    /**
     * Reads what the task has returned.
     *
     * @param type what it becomes
     * @param <T> the same
     * @return the result, or null when there is none
     */
    public <T> @Nullable T result(Class<T> type) {
        return Results.read(output, type);
    }
}
