package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A named graph of jobs. */
public record WorkflowDefinition(
        String name,
        int version,
        JsonNode spec,
        @Nullable String payloadSpec,
        String queue,
        @Nullable String onSuccess,
        @Nullable String onFailure,
        Instant createdAt,
        Instant updatedAt) {}
