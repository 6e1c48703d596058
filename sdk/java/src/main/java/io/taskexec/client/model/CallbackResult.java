package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * The record after a callback.
 *
 * @param status the status of the execution, when the callback has ended the attempt
 * @param output any JSON
 * @param error any JSON
 */
public record CallbackResult(
        String executionId,
        @Nullable ExecutionStatus status,
        @Nullable JsonNode output,
        @Nullable JsonNode error) {}
