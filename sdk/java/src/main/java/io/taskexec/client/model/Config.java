package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/** Values for templates. */
public record Config(String name, int version, JsonNode values, Instant createdAt, Instant updatedAt) {}
