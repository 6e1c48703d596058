package io.taskexec.forecast;

import io.taskexec.model.job.Pause;
import io.taskexec.model.job.TickId;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.Interval;
import io.taskexec.schedule.InvalidScheduleException;
import io.taskexec.schedule.Schedule;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.job.PlannedSchedules.Planned;
import java.time.Instant;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/**
 * Counts the starts of schedules: their ticks within their bounds and outside of their pauses, after their jitter.
 * Whether a tick is skipped because the execution before it runs is not foreseen.
 */
final class ScheduleStarts {
    /** Ticks of different expressions: of 3,500 for a day that fire each minute. */
    private static final long MOST_TICKS = 5_000_000;

    private final Horizon horizon;
    private final TickMinutes minutes;
    private final Set<UUID> leftOut = new HashSet<>();

    ScheduleStarts(Horizon horizon) {
        this.horizon = horizon;
        this.minutes = new TickMinutes(horizon, MOST_TICKS);
    }

    /** The different cron expressions. */
    int expressions() {
        return minutes.series();
    }

    /** Whether schedules were left out, because there are too many different expressions. */
    boolean isPart() {
        return !leftOut.isEmpty();
    }

    /** Adds the starts of a schedule; none of one that cannot be computed, which fires nothing either. */
    void add(Planned planned, Starts starts) {
        Schedule schedule;
        try {
            schedule = Schedules.of(planned.timetable(), planned.startsAt(), TickId.seed(planned.rootId()));
        } catch (InvalidScheduleException _) {
            return;
        }
        if (planned.jitter().isZero()) {
            add(planned, schedule, starts);
        } else {
            var jitter = new Jitter(horizon.minutes(), planned.jitter().toMillis());
            add(planned, schedule, jitter);
            jitter.flush(starts);
        }
    }

    private void add(Planned planned, Schedule schedule, Starts starts) {
        var left = planned.firesLeft();
        var fires = left == null ? starts : new Limited(left, starts);
        switch (schedule) {
            case CronSchedule cron -> {
                var ticks = minutes.of(cron);
                if (ticks == null) {
                    leftOut.add(planned.jobId());
                } else {
                    eachWindow(planned, (from, to) -> cron(ticks, from, to, fires));
                }
            }
            case Interval interval -> eachWindow(planned, (from, to) -> interval(interval, from, to, fires));
        }
    }

    /** A stretch of time without pause, in milliseconds from the start of the horizon. */
    private interface Window {
        void take(long from, long to);
    }

    private void eachWindow(Planned planned, Window window) {
        var from = later(horizon.now(), planned.startsAt());
        var end = planned.end() == null || planned.end().isAfter(horizon.end()) ? horizon.end() : planned.end();
        for (Pause pause : planned.pauses()) {
            take(from, pause.from().isBefore(end) ? pause.from() : end, window);
            if (pause.until() == null) {
                return;
            }
            from = later(from, pause.until());
        }
        take(from, end, window);
    }

    private void take(Instant from, Instant to, Window window) {
        if (from.isBefore(to)) {
            window.take(horizon.millis(from), horizon.millis(to));
        }
    }

    private static Instant later(Instant a, Instant b) {
        return a.isBefore(b) ? b : a;
    }

    private static void cron(BitSet ticks, long from, long to, Starts starts) {
        var end = Horizon.minuteAfter(to);
        for (var minute = ticks.nextSetBit(Horizon.minuteAfter(from));
                minute >= 0 && minute < end;
                minute = ticks.nextSetBit(minute + 1)) {
            starts.add(minute * Horizon.MINUTE_MS, 1);
        }
    }

    /** In steps of a minute, however short the interval is. */
    private void interval(Interval interval, long from, long to, Starts starts) {
        var every = interval.every().toMillis();
        var anchor = horizon.millis(interval.anchor());
        var at = anchor >= from ? anchor : anchor + Math.ceilDiv(from - anchor, every) * every;
        while (at < to) {
            var end = Math.min(to, (Horizon.minute(at) + 1) * Horizon.MINUTE_MS);
            var count = (end - 1 - at) / every + 1;
            starts.add(at, (double) count);
            at += count * every;
        }
    }

    /** Passes on so many starts and no more. */
    private static final class Limited implements Starts {
        private final Starts next;
        private long left;

        Limited(long left, Starts next) {
            this.left = left;
            this.next = next;
        }

        @Override
        public void add(long millis, double count) {
            var taken = Math.min((double) left, count);
            if (taken > 0) {
                next.add(millis, taken);
            }
            left -= (long) taken;
        }
    }
}
