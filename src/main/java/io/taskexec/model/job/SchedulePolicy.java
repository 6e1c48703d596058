package io.taskexec.model.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Decides which ticks of a schedule fire.
 *
 * @param startsAt no tick before it
 * @param endsAt no tick from it on; null for no end
 * @param maxFires after so many the schedule ends; null for no limit
 * @param jitter each execution begins up to this much after its tick
 */
public record SchedulePolicy(
        Instant startsAt,
        @Nullable Instant endsAt,
        @Nullable Integer maxFires,
        CatchUp catchUp,
        Overlap overlap,
        Duration jitter) {
    /**
     * Decides about ticks whose time passed while no scheduler ran.
     *
     * @param max of ALL: how many of them fire at most, the newest ones
     * @param window of ALL: how old they may be; null for any age
     */
    public record CatchUp(Mode mode, int max, @Nullable Duration window) {
        /** The default limit of missed ticks that fire. */
        public static final int DEFAULT_MAX = 1_000;

        /** All of them fire. */
        public static final CatchUp ALL = new CatchUp(Mode.ALL, DEFAULT_MAX, null);

        /** Selects the missed ticks that fire. */
        public enum Mode {
            /** All, within bounds. */
            ALL,
            /** The newest one. */
            LATEST,
            /** None that is late by more than a minute. */
            NONE
        }
    }

    /** Decides about a tick while an execution of the schedule has not ended. */
    public enum Overlap {
        /** It fires. */
        ALLOW,
        /** It does not fire. */
        SKIP,
        /** The first such tick fires as soon as the executions before it have ended, others do not. */
        BUFFER_ONE
    }
}
