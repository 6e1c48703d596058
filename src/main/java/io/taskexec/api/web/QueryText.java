package io.taskexec.api.web;

import io.taskexec.request.ApiException;
import io.taskexec.request.Choice;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Timestamps;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the values of query parameters; throws INVALID_REQUEST for one that cannot be used. */
public final class QueryText {
    private static final int MAX_VALUES = 100;

    private QueryText() {}

    /** One of the constants of an enum, null when the parameter is absent. */
    public static <E extends Enum<E>> @Nullable E choice(String name, @Nullable String text, Class<E> type) {
        if (text == null) {
            return null;
        }
        var chosen = Choice.of(text, type);
        if (chosen == null) {
            throw invalid(name, Choice.oneOf(text, Choice.words(type)));
        }
        return chosen;
    }

    /** A point in time, null when the parameter is absent. */
    public static @Nullable Instant time(String name, @Nullable String text) {
        try {
            // A plus in a query stands for a space, so an offset written with one arrives like this.
            return text == null ? null : Timestamps.parse(text.replace(' ', '+'));
        } catch (DateTimeParseException _) {
            throw invalid(name, Timestamps.EXPECTED);
        }
    }

    /** True or false, null when the parameter is absent. */
    public static @Nullable Boolean flag(String name, @Nullable String text) {
        return switch (text) {
            case null -> null;
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid(name, "true or false");
        };
    }

    /**
     * The values of a parameter that may be repeated and may have several in one, with commas; empty when it is absent.
     */
    public static Set<String> list(String name, @Nullable List<String> texts) {
        if (texts == null) {
            return Set.of();
        }
        var values = texts.stream()
                .flatMap(text -> Arrays.stream(text.split(",", -1)))
                .map(String::strip)
                .collect(Collectors.toUnmodifiableSet());
        if (values.size() > MAX_VALUES || values.contains("")) {
            throw invalid(name, "1 to %d values".formatted(MAX_VALUES));
        }
        return values;
    }

    public static ApiException invalid(String name, String expected) {
        return new ApiException(
                ErrorCode.INVALID_REQUEST, Fields.sentence("'%s' must be %s".formatted(name, expected)));
    }
}
