package io.taskexec.api.web;

import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/** Reads durations of queries. */
public final class Durations {
    private static final int MAX_TEXT = 64;

    private Durations() {}

    /** An ISO 8601 duration from 0 to {@code max}; null when it is absent. */
    public static @Nullable Duration parse(String name, @Nullable String value, Duration max) {
        if (value == null) {
            return null;
        }
        try {
            if (value.length() <= MAX_TEXT) {
                var time = Duration.parse(value);
                if (!time.isNegative() && time.compareTo(max) <= 0) {
                    return time;
                }
            }
        } catch (DateTimeParseException _) {
            // The message below says it.
        }
        throw new ApiException(
                ErrorCode.INVALID_REQUEST,
                "'%s' must be an ISO 8601 duration of at most %s, such as PT20S.".formatted(name, max));
    }
}
