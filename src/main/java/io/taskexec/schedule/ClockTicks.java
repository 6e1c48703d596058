package io.taskexec.schedule;

import io.taskexec.model.job.DstPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns local times into ticks, one stretch between two changes of the clock after the other.
 *
 * @param policy what becomes of times that the clock skips or repeats
 */
record ClockTicks(LocalTimes times, ZoneRules rules, DstPolicy policy) {
    /** Longer than any expression pauses; ends the search when every tick is in a gap and gaps are skipped. */
    private static final Duration HORIZON = Duration.ofDays(100 * 366);

    /** More than two clocks anywhere differ, and than any clock was ever changed by. */
    private static final int MARGIN_DAYS = 2;

    /** The first tick strictly after {@code after}, null when there is none. */
    @Nullable
    Tick next(Instant after) {
        if (!after.isBefore(Schedule.LATEST)) {
            return null;
        }
        var from = after.isBefore(Schedule.EARLIEST) ? Schedule.EARLIEST : after.plusNanos(1);
        var limit = from.plus(HORIZON);
        while (!from.isAfter(limit)) {
            var span = OffsetSpan.at(rules, from);
            if (standsForGap(span, from)) {
                return new Tick(from, Set.of(Tick.Flag.GAP));
            }
            var start = start(span, from);
            var local = times.atOrAfter(start);
            if (local == null) {
                return null;
            }
            var ends = span.ends();
            if (ends == null || local.isBefore(end(ends))) {
                return tick(span, local);
            }
            from = resume(span, ends, start, local);
        }
        return null;
    }

    private boolean standsForGap(OffsetSpan span, Instant from) {
        var gap = span.gap();
        if (gap == null
                || policy.gap() == DstPolicy.Gap.SKIP
                || !gap.getInstant().equals(from)) {
            return false;
        }
        var local = times.atOrAfter(gap.getDateTimeBefore());
        return local != null && local.isBefore(gap.getDateTimeAfter());
    }

    /** The first local time of the span that may fire. */
    private LocalDateTime start(OffsetSpan span, Instant from) {
        var local = LocalDateTime.ofInstant(from, span.offset());
        var begun = span.begun();
        return begun != null && policy.overlap() == DstPolicy.Overlap.FIRST && span.isSecondPass(local)
                ? begun.getDateTimeBefore()
                : local;
    }

    /** The local time of the span from which on none may fire. */
    private LocalDateTime end(ZoneOffsetTransition ends) {
        return policy.overlap() == DstPolicy.Overlap.SECOND && ends.isOverlap()
                ? ends.getDateTimeAfter()
                : ends.getDateTimeBefore();
    }

    private static @Nullable Tick tick(OffsetSpan span, LocalDateTime local) {
        var at = local.toInstant(span.offset());
        if (at.isAfter(Schedule.LATEST)) {
            return null;
        }
        var repeated = span.isFirstPass(local) || span.isSecondPass(local);
        return new Tick(at, repeated ? Set.of(Tick.Flag.REPEATED) : Set.of());
    }

    /**
     * Returns where to go on when the first local time is after the span: at its end, or right before that time when
     * the clock does not go back to what was searched already.
     */
    private static Instant resume(
            OffsetSpan span, ZoneOffsetTransition ends, LocalDateTime start, LocalDateTime local) {
        var shortcut = local.minusDays(MARGIN_DAYS).toInstant(span.offset());
        var comesBack = ends.getDateTimeAfter().isBefore(start.plusDays(MARGIN_DAYS));
        return comesBack || shortcut.isBefore(ends.getInstant()) ? ends.getInstant() : shortcut;
    }
}
