package io.taskexec.store.endpoint;

import java.time.Instant;

/** A condition of a write on its resource, checked under the lock of the row. */
@FunctionalInterface
public interface Precondition {
    /** Writes whatever is there. */
    Precondition NONE = (_, _) -> true;

    /** Whether the state that the version and the moment of creation stand for may be replaced or deleted. */
    boolean holds(int version, Instant createdAt);
}
