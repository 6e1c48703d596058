package io.taskexec.scheduler;

import io.taskexec.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;

/** Looks at how many ticks of a schedule have been missed. */
final class Backlog {
    private static final Duration FIRST_LOOK = Duration.ofMinutes(1);

    private Backlog() {}

    /**
     * The first of the newest {@code count} ticks from {@code first} to {@code now}; {@code first} itself when there
     * are not as many. Looks back further and further, so that the work depends on the count and not on the time.
     */
    static Instant newest(Schedule schedule, Instant first, Instant now, int count) {
        for (var look = FIRST_LOOK; ; look = look.multipliedBy(2)) {
            var from = now.minus(look);
            if (!from.isAfter(first)) {
                return newest(schedule, first.minusNanos(1), now, count, first);
            }
            if (schedule.between(from, now, count).size() == count) {
                return newest(schedule, from, now, count, first);
            }
        }
    }

    private static Instant newest(Schedule schedule, Instant after, Instant now, int count, Instant otherwise) {
        var ticks = schedule.between(after, now, Integer.MAX_VALUE);
        return ticks.size() < count ? otherwise : ticks.get(ticks.size() - count);
    }
}
