package io.taskexec.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** When a job fires. */
public sealed interface Trigger {
    /** Once, now. */
    record Immediate() implements Trigger {}

    /** Once, at the given time or as soon as possible after it. */
    record Delayed(Instant runAt) implements Trigger {}

    /**
     * At every tick of a cron expression.
     *
     * @param timezone an IANA zone, in which the expression is read
     * @param startsAt no tick before it
     * @param endsAt no tick from it on; null for no end
     * @param nextRunAt the next tick; null when there is none
     * @param lastTickAt the last tick that has fired
     */
    record Cron(
            String expression,
            String timezone,
            @Nullable Instant startsAt,
            @Nullable Instant endsAt,
            @Nullable Instant nextRunAt,
            @Nullable Instant lastTickAt)
            implements Trigger {}

    /** The name used on the wire and in the store. */
    default String kind() {
        return switch (this) {
            case Immediate() -> "IMMEDIATE";
            case Delayed _ -> "DELAYED";
            case Cron _ -> "CRON";
        };
    }
}
