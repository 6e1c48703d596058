package io.taskexec.api;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;

/** Reads points in time that a database and an id can hold. */
final class Times {
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

    private Times() {}

    /** ISO 8601 with an offset, in the years 1 to 9999. */
    static Instant parse(String text) {
        var time = OffsetDateTime.parse(text).toInstant();
        if (time.isBefore(FIRST) || time.isAfter(LAST)) {
            throw new DateTimeParseException("not in the years 1 to 9999", text, 0);
        }
        return time;
    }
}
