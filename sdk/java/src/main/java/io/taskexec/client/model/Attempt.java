package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One try of an execution. */
public record Attempt(
        int attemptNumber,
        String status,
        Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable Long durationMs,
        @Nullable JsonNode output,
        @Nullable Failure error,
        @Nullable String workerId) {}
