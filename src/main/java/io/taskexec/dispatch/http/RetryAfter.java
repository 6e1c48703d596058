package io.taskexec.dispatch.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The Retry-After header (RFC 9110, 10.2.3). */
final class RetryAfter {
    /** Far beyond any retry policy, and small enough to calculate with. */
    static final Duration LONGEST = Duration.ofDays(365);

    private static final Pattern SECONDS = Pattern.compile("\\d{1,18}");

    private RetryAfter() {}

    /** The time that {@code value} asks to wait, as seen at {@code now}; null when it cannot be understood. */
    static @Nullable Duration parse(@Nullable String value, Instant now) {
        if (value == null) {
            return null;
        }
        var text = value.strip();
        var wait = SECONDS.matcher(text).matches() ? Duration.ofSeconds(Long.parseLong(text)) : until(text, now);
        if (wait == null || wait.isNegative()) {
            return null;
        }
        return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }

    /** Only the preferred form of a date: the two obsolete ones (RFC 9110, 5.6.7) would only cost us the hint. */
    private static @Nullable Duration until(String date, Instant now) {
        try {
            return Duration.between(now, ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME));
        } catch (DateTimeException _) {
            return null;
        }
    }
}
