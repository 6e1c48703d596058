package io.taskexec.forecast;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The minutes of a forecast: the present one is the first.
 *
 * @param now starts before it are over
 */
record Horizon(Instant now, int minutes) {
    static final long MINUTE_MS = Duration.ofMinutes(1).toMillis();

    static Horizon of(Instant now, int hours) {
        return new Horizon(now, Math.toIntExact(Duration.ofHours(hours).toMinutes()));
    }

    Instant start() {
        return now.truncatedTo(ChronoUnit.MINUTES);
    }

    Instant end() {
        return at(minutes);
    }

    /** The beginning of a minute. */
    Instant at(int minute) {
        return start().plus(Duration.ofMinutes(minute));
    }

    /** The milliseconds from the start to a time in the horizon or near it, rounded up as the times of ticks are. */
    long millis(Instant at) {
        var time = Duration.between(start(), at);
        return time.getSeconds() * 1_000 + Math.ceilDiv(time.getNano(), 1_000_000);
    }

    /** The minute that a moment is in, which may be none of the horizon. */
    static int minute(long millis) {
        return Math.toIntExact(Math.floorDiv(millis, MINUTE_MS));
    }

    /** The first minute that begins at a moment or later. */
    static int minuteAfter(long millis) {
        return Math.toIntExact(Math.ceilDiv(millis, MINUTE_MS));
    }
}
