package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A named JSON Schema for the input of jobs.
 *
 * @param version rises by one with every update
 */
public record PayloadSpec(String name, int version, JsonNode schema, Instant createdAt, Instant updatedAt) {}
