package io.taskexec.forecast;

import io.taskexec.model.job.DstPolicy;
import io.taskexec.schedule.CronSchedule;
import java.time.Instant;
import java.time.ZoneId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ticks of cron expressions as bits, which are computed once for all schedules that have the same: with {@code H}
 * those that come to the same values. A tick is at the beginning of a minute, since clocks are set by whole minutes.
 */
final class TickMinutes {
    private final Horizon horizon;
    private final Map<Series, BitSet> known = new HashMap<>();
    private long left;

    /** @param most ticks that are computed, but for the last expression */
    TickMinutes(Horizon horizon, long most) {
        this.horizon = horizon;
        this.left = most;
    }

    private record Series(String expression, ZoneId zone, DstPolicy policy) {}

    /** The different series of ticks that there are. */
    int series() {
        return known.size();
    }

    /** The ticks from the first minute on, of past moments of it too; null when too many were computed already. */
    @Nullable
    BitSet of(CronSchedule schedule) {
        var series = new Series(schedule.normalized(), schedule.zone(), schedule.policy());
        var found = known.get(series);
        if (found == null && left > 0) {
            found = compute(schedule);
            left -= 1 + found.cardinality();
            known.put(series, found);
        }
        return found;
    }

    private BitSet compute(CronSchedule schedule) {
        var ticks = new BitSet(horizon.minutes());
        var end = horizon.end();
        @Nullable Instant at = schedule.next(horizon.start().minusNanos(1));
        while (at != null && at.isBefore(end)) {
            ticks.set(Horizon.minute(horizon.millis(at)));
            at = schedule.next(at);
        }
        return ticks;
    }
}
