package io.taskexec.model;

import com.google.errorprone.annotations.Immutable;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The type of a value in a request, with its limits. */
public sealed interface ValueType
        permits ValueType.Text,
                ValueType.Words,
                ValueType.Whole,
                ValueType.Decimal,
                ValueType.Plain,
                ValueType.MapOf,
                ValueType.ListOf,
                ObjectDefinition {
    /** The names of resources. */
    Text NAME = Text.like(63, "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$");

    /** The names of secrets. */
    Text SECRET_NAME = Text.like(63, "^[A-Za-z0-9_-]{1,63}$");

    /** A map of any JSON. */
    MapOf JSON_OBJECT = new MapOf(Plain.ANY, Integer.MAX_VALUE);

    /**
     * A string that is not empty.
     *
     * @param pattern null for any text
     * @param isDuration whether it is an ISO 8601 duration
     */
    @Immutable
    record Text(int maxLength, @Nullable Pattern pattern, boolean isDuration) implements ValueType {
        /** Returns the type of texts that match the regular expression {@code pattern}. */
        public static Text like(int maxLength, String pattern) {
            return new Text(maxLength, Pattern.compile(pattern), false);
        }

        /** Whether a text fits the pattern. */
        public boolean matches(String text) {
            return pattern == null || pattern.matcher(text).matches();
        }
    }

    /**
     * One of a few strings.
     *
     * @param schema the name of their schema in the OpenAPI document; null for one without a name
     */
    record Words(List<String> words, @Nullable String schema) implements ValueType {}

    /** An integer. */
    record Whole(int min, int max) implements ValueType {}

    /** A number that need not be whole. */
    record Decimal(double min, double max) implements ValueType {}

    /** A type without limits. */
    enum Plain implements ValueType {
        FLAG,
        /** A string, which may be empty. */
        TEXT,
        /** An ISO 8601 point in time with an offset. */
        TIME,
        ANY
    }

    /** An object with any names. */
    record MapOf(ValueType values, int max) implements ValueType {}

    /** An array. */
    record ListOf(ValueType elements, int min, int max, Order order) implements ValueType {}

    /** The meaning of the order of a list. */
    enum Order {
        SEQUENCE,
        /** Two lists with the same elements are equal. */
        BAG,
        /** The same, and no element is repeated. */
        SET
    }

    static Text text(int maxLength) {
        return new Text(maxLength, null, false);
    }

    static Text duration() {
        return new Text(64, null, true);
    }

    static Words words(@Nullable String schema, Enum<?>... constants) {
        return new Words(Arrays.stream(constants).map(Option::word).toList(), schema);
    }
}
