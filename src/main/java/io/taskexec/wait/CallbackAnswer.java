package io.taskexec.wait;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.job.ExecutionStatus;
import org.jspecify.annotations.Nullable;

/**
 * The record of an execution after a callback.
 *
 * @param status null when its work goes on
 * @param output of a success
 * @param error of an attempt that has failed
 */
public record CallbackAnswer(
        @Nullable ExecutionStatus status,
        @Nullable JsonNode output,
        @Nullable JsonNode error) {
    /** The work goes on. */
    static final CallbackAnswer ONGOING = new CallbackAnswer(null, null, null);
}
