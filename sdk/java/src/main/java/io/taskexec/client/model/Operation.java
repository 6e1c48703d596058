package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A change of many executions. */
public record Operation(
        String operationId,
        String action,
        JsonNode filter,
        String status,
        @Nullable Long total,
        long done,
        long skipped,
        int ratePerSec,
        @Nullable Long max,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt) {}
