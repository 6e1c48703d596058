package io.taskexec.model;

import java.time.Instant;
import java.util.UUID;

/** Something that happened to an endpoint by itself. */
public record EndpointEvent(UUID id, Kind kind, String message, Instant at) {
    /** What happened. */
    public enum Kind {
        BREAKER_OPEN,
        BREAKER_HALF_OPEN,
        BREAKER_CLOSED
    }
}
