package io.taskexec.store.endpoint;

import java.time.Instant;

/** What must be so of a resource for a write to happen, looked at while nobody else can change it. */
@FunctionalInterface
public interface Precondition {
    /** Writes whatever is there. */
    Precondition NONE = (_, _) -> true;

    /** Whether the state that the version and the moment of creation stand for may be replaced or deleted. */
    boolean holds(int version, Instant createdAt);
}
