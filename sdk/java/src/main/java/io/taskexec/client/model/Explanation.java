package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why an execution runs or does not run.
 *
 * @param queue absent when it has ended
 * @param at the moment that is described, by the clock of the database
 * @param reason the first of the reasons, which keeps it now
 * @param message the same in words
 * @param reasons all reasons, in the order in which they must be resolved
 */
public record Explanation(
        String executionId,
        String jobId,
        String endpoint,
        @Nullable String queue,
        ExecutionStatus status,
        Instant at,
        String reason,
        String message,
        List<JsonNode> reasons) {}
