package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.RetryPolicy;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Where jobs go to. A {@code PUT} makes the next version. */
public record Endpoint(
        String name,
        String type,
        int version,
        @Nullable String payloadSpec,
        @Nullable String config,
        String queue,
        JsonNode spec,
        RetryPolicy retryPolicy,
        @Nullable String onSuccess,
        @Nullable String onFailure,
        String onWorkerLost,
        boolean preemptible,
        @Nullable JsonNode flow,
        @Nullable JsonNode completion,
        Instant createdAt,
        Instant updatedAt) {}
