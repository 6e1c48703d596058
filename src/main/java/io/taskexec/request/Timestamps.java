package io.taskexec.request;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads points in time that a database and an id can hold. */
public final class Timestamps {
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

    private static final Pattern USUAL =
            Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{3})?Z");
    /** As in {@code +0530}: Python writes offsets so, and so do the clients that a generator makes for it. */
    private static final Pattern BARE_OFFSET = Pattern.compile("([+-][0-9]{2})([0-9]{2})$");

    private static final int TO_SECONDS = "0000-00-00T00:00:00Z".length();
    private static final int NANOS_PER_MILLI = 1_000_000;

    /** The expected form of a time, as a part of a sentence. */
    public static final String EXPECTED = "an ISO 8601 time with offset, such as 2026-03-15T18:00:00Z";

    private Timestamps() {}

    /** ISO 8601 with an offset, in the years 1 to 9999. */
    public static Instant parse(String text) {
        var usual = usual(text);
        var time = usual != null
                ? usual
                : OffsetDateTime.parse(BARE_OFFSET.matcher(text).replaceFirst("$1:$2"))
                        .toInstant();
        if (time.isBefore(FIRST) || time.isAfter(LAST)) {
            throw new DateTimeParseException("not in the years 1 to 9999", text, 0);
        }
        return time;
    }

    /** The form that clients write, which the JDK's parser takes several microseconds for; null for any other. */
    private static @Nullable Instant usual(String text) {
        if (!USUAL.matcher(text).matches()) {
            return null;
        }
        var nanos = text.length() == TO_SECONDS ? 0 : number(text, 20, 23) * NANOS_PER_MILLI;
        try {
            return LocalDateTime.of(
                            number(text, 0, 4),
                            number(text, 5, 7),
                            number(text, 8, 10),
                            number(text, 11, 13),
                            number(text, 14, 16),
                            number(text, 17, 19),
                            nanos)
                    .toInstant(ZoneOffset.UTC);
        } catch (DateTimeException _) {
            // The other parser says what is wrong with it.
            return null;
        }
    }

    private static int number(String text, int from, int to) {
        return Integer.parseInt(text, from, to, 10);
    }
}
