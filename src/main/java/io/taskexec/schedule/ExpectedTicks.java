package io.taskexec.schedule;

import java.time.Instant;
import java.util.List;

/**
 * The ticks that a schedule has in a stretch of time, to be compared with those of which something has become.
 *
 * @param from the first moment that was looked at
 * @param to the first moment that was not
 * @param ticks first to last
 * @param more whether there are others from {@code to} on, which were over the limit
 */
public record ExpectedTicks(Instant from, Instant to, List<Instant> ticks, boolean more) {
    /** The first {@code limit} ticks at {@code from} or later and before {@code to}. */
    public static ExpectedTicks of(Schedule schedule, Instant from, Instant to, int limit) {
        if (!from.isBefore(to)) {
            return new ExpectedTicks(from, from, List.of(), false);
        }
        var found = schedule.between(from.minusNanos(1), to.minusNanos(1), limit + 1);
        return found.size() > limit
                ? new ExpectedTicks(from, found.getLast(), found.subList(0, limit), true)
                : new ExpectedTicks(from, to, found, false);
    }
}
