package io.taskexec.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.Column;
import io.taskexec.cli.text.RelativeTime;
import io.taskexec.cli.text.Table;
import io.taskexec.model.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A column of a table of resources.
 *
 * @param pointers JSON pointers of the value; the first one with a value counts
 */
public record ResourceColumn(String title, Format format, List<String> pointers) {
    /** Formats of values. */
    public enum Format {
        ID(Column.Kind.ID),
        TEXT(Column.Kind.TEXT),
        STATUS(Column.Kind.STATUS),
        NUMBER(Column.Kind.NUMBER),
        /** A number, with a plus when the field {@code more} names it. */
        COUNT(Column.Kind.NUMBER),
        TIME(Column.Kind.ID),
        /** The next time of a schedule, or its pause. */
        NEXT_TIME(Column.Kind.ID),
        MILLIS(Column.Kind.NUMBER),
        PERCENT(Column.Kind.NUMBER),
        /** The time from the first pointer to the second, or until now. */
        SPAN(Column.Kind.NUMBER);

        private final Column.Kind kind;

        Format(Column.Kind kind) {
            this.kind = kind;
        }
    }

    public static ResourceColumn of(String title, Format format, String... pointers) {
        return new ResourceColumn(title, format, List.of(pointers));
    }

    /** Returns the lines of a table. */
    public static List<String> table(
            List<ResourceColumn> fields, List<JsonNode> items, Instant now, int width, AnsiStyle style) {
        var rows = items.stream()
                .map(item -> fields.stream().map(field -> field.text(item, now)).toList())
                .toList();
        var columns = fields.stream()
                .map(field -> new Column(field.title, field.format.kind))
                .toList();
        return new Table(columns).lines(rows, width, style);
    }

    private String text(JsonNode resource, Instant now) {
        if (format == Format.NEXT_TIME && PauseText.isIn(resource)) {
            return PauseText.text(resource, now);
        }
        if (format == Format.SPAN) {
            return span(resource, now);
        }
        return pointers.stream()
                .map(resource::at)
                .filter(value -> !value.isMissingNode() && !value.isNull())
                .findFirst()
                .map(value -> shown(value, now))
                .map(text -> format == Format.COUNT && isCapped(resource) ? text + "+" : text)
                .orElse("");
    }

    private String span(JsonNode resource, Instant now) {
        var start = instant(resource.at(pointers.getFirst()).asText());
        var end = instant(resource.at(pointers.getLast()).asText());
        return start == null
                ? ""
                : millis(Math.max(
                        0, Duration.between(start, end == null ? now : end).toMillis()));
    }

    private static @Nullable Instant instant(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException _) {
            return null;
        }
    }

    private boolean isCapped(JsonNode resource) {
        return StreamSupport.stream(resource.path("more").spliterator(), false)
                .anyMatch(name -> pointers.contains("/" + name.asText()));
    }

    private String shown(JsonNode value, Instant now) {
        return switch (format) {
            case TIME, NEXT_TIME -> time(value.asText(), now);
            case MILLIS -> millis(value.asLong());
            case PERCENT -> value.asLong() + "%";
            case ID, SPAN, TEXT, STATUS, NUMBER, COUNT ->
                value.isArray()
                        ? StreamSupport.stream(value.spliterator(), false)
                                .map(JsonNode::asText)
                                .collect(Collectors.joining(","))
                        : value.isObject() ? names(value) : value.isTextual() ? value.textValue() : Json.write(value);
        };
    }

    private static String names(JsonNode object) {
        return object.properties().stream().map(Map.Entry::getKey).collect(Collectors.joining(","));
    }

    private static String time(String text, Instant now) {
        var time = instant(text);
        return time == null ? text : RelativeTime.of(time, now);
    }

    /** Formats milliseconds: exact ones while they are few. */
    public static String millis(long millis) {
        return millis < 10_000 ? millis + "ms" : RelativeTime.span(Duration.ofMillis(millis));
    }
}
