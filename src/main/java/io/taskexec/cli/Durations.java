package io.taskexec.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses short durations, such as {@code 90s}, {@code 1h30m} and {@code 2d}, and ISO 8601. */
public final class Durations {
    private static final Pattern SHORT = Pattern.compile("(\\d{1,6}d)?(\\d{1,8}h)?(\\d{1,8}m)?(\\d{1,9}s)?");

    private Durations() {}

    /** Returns the duration; null when the text is not one. */
    public static @Nullable Duration parse(String text) {
        try {
            return Duration.parse(iso(text));
        } catch (DateTimeParseException _) {
            return null;
        }
    }

    /** Converts a short duration to ISO 8601; other texts stay as they are. */
    public static String iso(String text) {
        var found = SHORT.matcher(text);
        if (text.isEmpty() || !found.matches()) {
            return text;
        }
        var days = found.group(1) == null ? "" : found.group(1);
        var rest = text.substring(days.length());
        return ("P" + days + (rest.isEmpty() ? "" : "T" + rest)).toUpperCase(Locale.ROOT);
    }

    /** Returns a time that is given as an age or with an offset; null when it is neither. */
    public static @Nullable Instant past(String text, Instant now) {
        var ago = parse(text);
        try {
            return ago != null ? now.minus(ago) : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException _) {
            return null;
        }
    }
}
