package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.Column;
import io.taskexec.cli.text.RelativeTime;
import io.taskexec.model.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * What a column of a table shows of a resource.
 *
 * @param pointers where it is; the first one with a value counts
 */
record Field(String title, Show show, List<String> pointers) {
    /** How a value becomes a text. */
    enum Show {
        ID(Column.Kind.ID),
        TEXT(Column.Kind.TEXT),
        STATUS(Column.Kind.STATUS),
        NUMBER(Column.Kind.NUMBER),
        TIME(Column.Kind.ID),
        MILLIS(Column.Kind.NUMBER);

        private final Column.Kind kind;

        Show(Column.Kind kind) {
            this.kind = kind;
        }
    }

    static Field of(String title, Show show, String... pointers) {
        return new Field(title, show, List.of(pointers));
    }

    Column column() {
        return new Column(title, show.kind);
    }

    /** Empty when there is no value. */
    String text(JsonNode resource, Instant now) {
        return pointers.stream()
                .map(resource::at)
                .filter(value -> !value.isMissingNode() && !value.isNull())
                .findFirst()
                .map(value -> shown(value, now))
                .orElse("");
    }

    private String shown(JsonNode value, Instant now) {
        return switch (show) {
            case TIME -> time(value.asText(), now);
            case MILLIS -> millis(value.asLong());
            case ID, TEXT, STATUS, NUMBER ->
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
        try {
            return RelativeTime.of(OffsetDateTime.parse(text).toInstant(), now);
        } catch (DateTimeParseException _) {
            return text;
        }
    }

    private static String millis(long millis) {
        return millis < 10_000 ? millis + "ms" : RelativeTime.span(Duration.ofMillis(millis));
    }
}
