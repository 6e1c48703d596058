package io.taskexec.model.endpoint;

import java.time.Instant;
import java.util.UUID;

/** Something that happened to deliveries to an endpoint. */
public record EndpointEvent(UUID id, Kind kind, String message, Instant at) {
    /** The kind of an event. */
    public enum Kind {
        BREAKER_OPEN,
        BREAKER_HALF_OPEN,
        BREAKER_CLOSED,
        /** The receiver has said that it is gone. */
        DISABLED,
        ENABLED,
        /** Its receiver has refused calls, or has recovered: few executions run at once. */
        LIMITED,
        UNLIMITED
    }
}
