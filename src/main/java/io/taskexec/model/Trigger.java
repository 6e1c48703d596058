package io.taskexec.model;

import java.time.Instant;

/** When a job fires. */
public sealed interface Trigger {
    /** Once, now. */
    record Immediate() implements Trigger {}

    /** Once, at the given time or as soon as possible after it. */
    record Delayed(Instant runAt) implements Trigger {}

    /** The name used on the wire and in the store. */
    default String kind() {
        return switch (this) {
            case Immediate() -> "IMMEDIATE";
            case Delayed _ -> "DELAYED";
        };
    }
}
