package io.taskexec.schedule;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A series of ticks, strictly increasing and without an end before {@link #LATEST}; immutable. */
public sealed interface Schedule permits CronSchedule, Interval {
    /** No tick is before this. */
    Instant EARLIEST = Instant.parse("0000-01-01T00:00:00Z");

    /** No tick is after this. */
    Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

    /** The first tick strictly after {@code after}, null when there is none. */
    @Nullable
    Tick nextTick(Instant after);

    /** The schedule in English words. */
    String describe();

    /** Returns the first tick strictly after {@code after}, null when there is none. */
    default @Nullable Instant next(Instant after) {
        var tick = nextTick(after);
        return tick == null ? null : tick.at();
    }

    /** The first {@code limit} ticks after {@code fromExclusive} and not after {@code toInclusive}. */
    default List<Instant> between(Instant fromExclusive, Instant toInclusive, int limit) {
        var ticks = new ArrayList<Instant>();
        var at = next(fromExclusive);
        while (at != null && !at.isAfter(toInclusive) && ticks.size() < limit) {
            ticks.add(at);
            at = next(at);
        }
        return List.copyOf(ticks);
    }

    /** The times after {@code from} and before {@code to} that are no ticks because the clock was changed. */
    default List<Instant> suppressed(Instant from, Instant to) {
        return List.of();
    }

    /** The first {@code count} ticks strictly after {@code from}. */
    default List<Tick> preview(Instant from, int count) {
        var ticks = new ArrayList<Tick>();
        for (var at = from; ticks.size() < count; at = ticks.getLast().at()) {
            var tick = nextTick(at);
            if (tick == null) {
                break;
            }
            ticks.add(tick);
        }
        return List.copyOf(ticks);
    }
}
