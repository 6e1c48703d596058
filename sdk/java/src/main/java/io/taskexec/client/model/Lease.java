package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.taskexec.client.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of an execution that a worker holds.
 *
 * @param lease the token that proves it
 * @param attempt from 1 on
 * @param expiresIn when it ends unless it is extended, from the answer on
 * @param deadline the end of this attempt by its timeout, whatever extensions it gets
 * @param parents how the jobs have ended that this one has waited for
 * @param callbackUrl where to say how a deferred attempt ends
 */
public record Lease(
        String lease,
        String executionId,
        String jobId,
        String endpoint,
        int endpointVersion,
        int attempt,
        @Nullable JsonNode input,
        int priority,
        @Nullable List<String> tags,
        @Nullable Instant runAt,
        @Nullable Duration expiresIn,
        @Nullable Instant deadline,
        @Nullable String traceparent,
        @Nullable String workflowId,
        @Nullable Map<String, Parent> parents,
        @Nullable String callbackUrl) {

    /**
     * A job that this one has waited for.
     *
     * @param status how it has ended
     * @param output what it has returned
     * @param error why it has failed
     */
    public record Parent(
            ExecutionStatus status,
            @Nullable JsonNode output,
            @Nullable Failure error) {
        /**
         * Reads what it has returned, as {@link Json#data()} does.
         *
         * @param type what it becomes
         * @param <T> the same
         * @return the result, or null when there is none
         */
        public <T> @Nullable T result(Class<T> type) {
            return result(type, Json.data());
        }

        /**
         * Reads what it has returned.
         *
         * @param type what it becomes
         * @param mapper reads it
         * @param <T> the same
         * @return the result, or null when there is none
         */
        public <T> @Nullable T result(Class<T> type, ObjectMapper mapper) {
            return Results.read(output, type, mapper);
        }
    }
}
