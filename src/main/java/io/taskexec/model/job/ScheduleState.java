package io.taskexec.model.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a schedule.
 *
 * @param nextRunAt the next tick; null when there is none
 * @param lastTickAt the last tick whose time has come
 * @param fires how many ticks have fired
 * @param pause the one that is in force or is to come; null for none
 * @param setAsideReason why it cannot go on; null when it can
 */
public record ScheduleState(
        @Nullable Instant nextRunAt,
        @Nullable Instant lastTickAt,
        long fires,
        @Nullable Pause pause,
        @Nullable String setAsideReason) {}
