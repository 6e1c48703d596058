package io.taskexec.client.model;

import java.time.Instant;

/** A change of the circuit breaker of an endpoint. */
public record EndpointEvent(String eventId, String kind, String message, Instant at) {}
