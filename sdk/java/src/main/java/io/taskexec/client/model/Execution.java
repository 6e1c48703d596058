package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.taskexec.client.Json;
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
     * Tells whether it has ended, also in a state that this version does not know.
     *
     * @return whether nothing changes any more
     */
    public boolean hasEnded() {
        return status.isFinal() || (status == ExecutionStatus.UNKNOWN && completedAt != null);
    }

    /**
     * Reads what the task has returned, as {@link Json#data()} does.
     *
     * @param type what it becomes
     * @param <T> the same
     * @return the result, or null when there is none
     */
    public <T> @Nullable T result(Class<T> type) {
        return result(type, Json.data());
    }

    /**
     * Reads what the task has returned.
     *
     * @param type what it becomes
     * @param mapper reads it, such as {@code client.mapper()}
     * @param <T> the same
     * @return the result, or null when there is none
     */
    public <T> @Nullable T result(Class<T> type, ObjectMapper mapper) {
        return Results.read(output, type, mapper);
    }
}
