package io.taskexec.schedule;

import static io.taskexec.schedule.InvalidScheduleException.quoted;

import io.taskexec.schedule.InvalidScheduleException.Part;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Ticks at {@code anchor} and every {@code every} after it, by elapsed time. Throws InvalidScheduleException when they
 * do not fit.
 *
 * @param every at least a second, in whole milliseconds
 * @param anchor the first tick; what is below a millisecond is cut off, since ticks are told apart by milliseconds
 */
public record Interval(Duration every, Instant anchor) implements Schedule {
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(36_525);

    public Interval {
        if (every.compareTo(SHORTEST) < 0) {
            throw new InvalidScheduleException(Part.INTERVAL, "The interval " + every + " is shorter than a second");
        }
        if (every.compareTo(LONGEST) > 0) {
            throw new InvalidScheduleException(
                    Part.INTERVAL, "The interval " + every + " is longer than " + LONGEST.toDays() + " days");
        }
        if (!every.truncatedTo(ChronoUnit.MILLIS).equals(every)) {
            throw new InvalidScheduleException(
                    Part.INTERVAL, "The interval " + every + " is not in whole milliseconds");
        }
        if (anchor.isBefore(EARLIEST) || anchor.isAfter(LATEST)) {
            throw new InvalidScheduleException(Part.START, "The interval starts outside of the years 0 to 9999");
        }
        anchor = anchor.truncatedTo(ChronoUnit.MILLIS);
    }

    /** With {@code every} as ISO-8601 writes durations, as in {@code PT15M}. Throws InvalidScheduleException. */
    public static Interval parse(String every, Instant anchor) {
        try {
            return new Interval(Duration.parse(every), anchor);
        } catch (DateTimeParseException _) {
            throw new InvalidScheduleException(
                    Part.INTERVAL,
                    "The interval " + quoted(every) + " is not an ISO-8601 duration such as PT15M or P1DT12H");
        }
    }

    @Override
    public @Nullable Tick nextTick(Instant after) {
        if (after.isBefore(anchor)) {
            return new Tick(anchor, Set.of());
        }
        var elapsed = Duration.between(anchor, after);
        var rest = every.minus(elapsed.minus(every.multipliedBy(elapsed.dividedBy(every))));
        return rest.compareTo(Duration.between(after, LATEST)) > 0 ? null : new Tick(after.plus(rest), Set.of());
    }

    @Override
    public String describe() {
        return "every " + Words.duration(every) + " from " + anchor;
    }
}
