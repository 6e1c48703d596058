package io.taskexec.model.delivery;

import java.time.Duration;

/** A request with nothing left to resolve, ready for its transport. */
public sealed interface DispatchRequest permits HttpCall, KafkaMessage, StreamEntry {
    /** Bound on the whole call. */
    Duration timeout();

    /** The same request with another timeout. */
    DispatchRequest withTimeout(Duration other);
}
