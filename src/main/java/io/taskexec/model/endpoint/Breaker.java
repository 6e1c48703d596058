package io.taskexec.model.endpoint;

import java.time.Instant;

/**
 * The circuit breaker of an endpoint that has failed or was disabled.
 *
 * @param since when it came into this state
 * @param retryAt when a delivery is tried again, unless it is closed or the endpoint is disabled
 * @param reason why it came into its state, or why the endpoint is disabled
 */
public record Breaker(State state, Instant since, Instant retryAt, String reason) {
    /** The state of a circuit breaker. */
    public enum State {
        /** They are made. */
        CLOSED,
        /** They wait. */
        OPEN,
        /** A few are made to see whether the receiver is well again, the others wait. */
        HALF_OPEN,
        /** Deliveries wait until an administrator enables the endpoint. */
        DISABLED
    }
}
