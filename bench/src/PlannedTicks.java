import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Many schedules for some time: nine of ten are intervals whose ticks are spread evenly, the others fire each minute. */
record PlannedTicks(List<PlannedSchedule> schedules) implements Numbering {
    private static final Duration EVERY = Duration.ofSeconds(10);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int ONE_MINUTELY_IN = 10;

    static PlannedTicks of(int count, Instant begin, Duration duration) {
        Instant minute = begin.minusNanos(1).truncatedTo(ChronoUnit.MINUTES).plus(MINUTE);
        int minutes = ticks(minute, MINUTE, begin.plus(duration));
        List<PlannedSchedule> schedules = new ArrayList<>();
        int number = 0;
        for (int n = 0; n < count; n++) {
            // A short run may have no whole minute in it.
            boolean minutely = n % ONE_MINUTELY_IN == 0 && minutes > 0;
            Instant first = minutely
                    ? minute
                    : begin.plus(EVERY.multipliedBy(n).dividedBy(count)).truncatedTo(ChronoUnit.MILLIS);
            int ticks = minutely ? minutes : Math.max(1, (int) duration.dividedBy(EVERY));
            schedules.add(new PlannedSchedule(minutely, begin, first, minutely ? MINUTE : EVERY, ticks, number));
            number += ticks;
        }
        return new PlannedTicks(List.copyOf(schedules));
    }

    /** How many ticks there are in all. */
    int count() {
        PlannedSchedule last = schedules.getLast();
        return last.firstNumber() + last.ticks();
    }

    /** When each tick is due, by its number. */
    long[] dueNanos(Clocks clocks) {
        long[] due = new long[count()];
        for (PlannedSchedule schedule : schedules) {
            for (int i = 0; i < schedule.ticks(); i++) {
                due[schedule.firstNumber() + i] = clocks.nanosAt(schedule.tick(i));
            }
        }
        return due;
    }

    @Override
    public int number(int n, Supplier<Instant> scheduledFor) {
        return n < 0 || n >= schedules.size() ? -1 : schedules.get(n).number(scheduledFor.get());
    }

    private static int ticks(Instant first, Duration every, Instant end) {
        return first.isBefore(end)
                ? (int) Duration.between(first, end.minusNanos(1)).dividedBy(every) + 1
                : 0;
    }
}
