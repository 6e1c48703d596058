package io.taskexec.client.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/** A JSON Schema for inputs. */
public record PayloadSpec(String name, int version, JsonNode schema, Instant createdAt, Instant updatedAt) {}
