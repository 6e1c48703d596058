package io.taskexec.client.model;

import java.time.Instant;

/** A secret, without its value. */
public record Secret(String name, int version, Instant createdAt, Instant updatedAt) {}
