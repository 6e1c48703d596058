package io.taskexec.model.job;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A single try within an execution.
 *
 * @param number counts from 1 within the execution
 * @param workerId the process that ran it
 */
public record Attempt(
        int number,
        Status status,
        Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable Duration duration,
        @Nullable JsonNode output,
        @Nullable JsonNode error,
        @Nullable UUID workerId) {
    /** The state of an attempt. */
    public enum Status {
        RUNNING,
        /** Its receiver says later how it ends. */
        DEFERRED,
        SUCCESS,
        FAILED,
        /** Its worker died or lost its lease; does not use up the retry budget. */
        LOST,
        /** Handed back at shutdown; does not use up the retry budget. */
        INTERRUPTED,
        /** Its execution was cancelled while it ran. */
        CANCELLED
    }
}
