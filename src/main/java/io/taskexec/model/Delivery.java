package io.taskexec.model;

import java.time.Instant;
import java.util.UUID;

/** The identity that every delivery carries to its receiver. */
public record Delivery(UUID executionId, UUID jobId, int attempt, Instant scheduledFor) {}
