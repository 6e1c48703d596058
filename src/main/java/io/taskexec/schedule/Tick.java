package io.taskexec.schedule;

import java.time.Instant;
import java.util.Set;

/**
 * One expected firing of a schedule.
 *
 * @param flags what the change of a clock has to do with it
 */
public record Tick(Instant at, Set<Flag> flags) {
    public Tick {
        flags = Set.copyOf(flags);
    }

    /** The relation of a tick to a change of the clock. */
    public enum Flag {
        /** It stands for a local time that the clock skips, and is the first instant after the gap. */
        GAP,
        /** The clock shows its local time twice. */
        REPEATED
    }
}
