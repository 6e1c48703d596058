package io.taskexec.cli.text;

import java.time.Duration;
import java.time.Instant;

/** Formats times relative to now: {@code 3m ago}, {@code in 2h}. */
public final class RelativeTime {
    private static final Duration NOW = Duration.ofSeconds(1);
    private static final int UP_TO = 2;

    private RelativeTime() {}

    /** Uses a second unit while the first number is small. */
    public static String of(Instant time, Instant now) {
        var distance = Duration.between(time, now);
        if (distance.abs().compareTo(NOW) < 0) {
            return "now";
        }
        return distance.isNegative() ? "in " + span(distance.negated()) : span(distance) + " ago";
    }

    /** Formats a duration. */
    public static String span(Duration duration) {
        var seconds = duration.toSeconds();
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3600) {
            return pair(seconds / 60, "m", seconds % 60, "s");
        }
        if (seconds < 86_400) {
            return pair(seconds / 3600, "h", seconds % 3600 / 60, "m");
        }
        return pair(seconds / 86_400, "d", seconds % 86_400 / 3600, "h");
    }

    private static String pair(long big, String bigUnit, long small, String smallUnit) {
        return big > UP_TO || small == 0 ? big + bigUnit : big + bigUnit + small + smallUnit;
    }
}
