package io.taskexec.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of time in which a zone's offset stays the same.
 *
 * @param begun the change of the clock at its start, which belongs to it; null when there is none
 * @param ends the change of the clock at its end, which does not; null when there is none
 */
record OffsetSpan(
        @Nullable ZoneOffsetTransition begun,
        ZoneOffset offset,
        @Nullable ZoneOffsetTransition ends) {
    /** The span that {@code at} is in. */
    static OffsetSpan at(ZoneRules rules, Instant at) {
        return new OffsetSpan(rules.previousTransition(at.plusNanos(1)), rules.getOffset(at), rules.nextTransition(at));
    }

    /** The change at its start if that put the clock forward. */
    @Nullable
    ZoneOffsetTransition gap() {
        return begun != null && begun.isGap() ? begun : null;
    }

    /** Whether the clock showed {@code local} before it was put back at the start. */
    boolean isSecondPass(LocalDateTime local) {
        return begun != null && begun.isOverlap() && local.isBefore(begun.getDateTimeBefore());
    }

    /** Whether the clock shows {@code local} again after it is put back at the end. */
    boolean isFirstPass(LocalDateTime local) {
        return ends != null && ends.isOverlap() && !local.isBefore(ends.getDateTimeAfter());
    }
}
