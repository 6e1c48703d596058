package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * One immutable version of a named set of values.
 *
 * @param version counts from 1 per name and never repeats, not even after a delete
 */
public record Config(String name, int version, JsonNode values, Instant createdAt, Instant updatedAt) {}
