import java.time.Duration;
import java.time.Instant;

/**
 * A schedule whose ticks are known beforehand, so that each of them is a numbered arrival.
 *
 * @param minutely a cron expression that fires each minute, else an interval
 * @param begin no tick before it
 * @param ticks after so many it ends
 * @param firstNumber the number of its first tick; those of the others follow
 */
record PlannedSchedule(boolean minutely, Instant begin, Instant first, Duration every, int ticks, int firstNumber) {
    Instant tick(int i) {
        return first.plus(every.multipliedBy(i));
    }

    /** The number of a tick, or -1 when there is no such tick. */
    int number(Instant scheduledFor) {
        Duration sinceFirst = Duration.between(first, scheduledFor);
        long i = sinceFirst.dividedBy(every);
        boolean isTick = !sinceFirst.isNegative() && every.multipliedBy(i).equals(sinceFirst) && i < ticks;
        return isTick ? firstNumber + (int) i : -1;
    }

    String json(int n, JobJson jobs) {
        Instant end = tick(ticks - 1).plusMillis(1);
        return minutely ? jobs.minutely(n, begin, end) : jobs.interval(n, every, first, end);
    }
}
