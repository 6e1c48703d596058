package io.taskexec.client.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The circuit breaker of an endpoint. */
public record Breaker(
        String state,
        @Nullable Instant since,
        @Nullable Instant retryAt,
        @Nullable String reason,
        @Nullable Integer adaptiveLimit) {}
