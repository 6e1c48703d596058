package io.taskexec.model.audit;

import java.time.Instant;

/** The public part of a secret: everything but its value. */
public record Secret(String name, int version, Instant createdAt, Instant updatedAt) {}
