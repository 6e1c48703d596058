package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Where executions wait, with its limits. */
public record Queue(
        String name,
        int weight,
        @Nullable Duration aging,
        @Nullable Integer maxConcurrency,
        @Nullable JsonNode rate,
        @Nullable Duration ttl,
        boolean paused,
        @Nullable Instant pausedAt,
        @Nullable Instant pausedUntil,
        @Nullable String pauseReason,
        int version,
        Instant createdAt,
        Instant updatedAt) {}
