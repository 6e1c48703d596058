package io.taskexec.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType;
import io.taskexec.model.ValueType.Decimal;
import io.taskexec.model.ValueType.ListOf;
import io.taskexec.model.ValueType.MapOf;
import io.taskexec.model.ValueType.Text;
import io.taskexec.model.ValueType.Whole;
import io.taskexec.request.ApiException.Detail;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a JSON object and gathers everything that is wrong with them, unknown fields included, so that a
 * client sees all of it at once. After a violation a reading method returns a harmless value; {@link #check} then
 * throws.
 */
public final class Fields {
    private static final int MAX_DETAILS = 50;

    /** The longest text of a time or a duration. */
    private static final int MAX_TIME = 64;

    private final ObjectNode object;
    private final String pointer;
    private final ObjectDefinition definition;
    private final List<Detail> violations;

    private Fields(ObjectNode object, String pointer, ObjectDefinition definition, List<Detail> violations) {
        this.object = object;
        this.pointer = pointer;
        this.definition = definition;
        this.violations = violations;
    }

    /** The fields of a request's body; throws when it is no JSON object that can be stored. */
    public static Fields of(byte @Nullable [] body, ObjectDefinition definition) {
        return of(RequestBodies.parse(body), "", definition);
    }

    /** No fields at all, as of a body that may be left out. */
    public static Fields none(ObjectDefinition definition) {
        return new Fields(JsonNodeFactory.instance.objectNode(), "", definition, new ArrayList<>());
    }

    /** The fields of one object within a request's body. */
    public static Fields of(JsonNode node, String pointer, ObjectDefinition definition) {
        return new Fields(requireObject(node, pointer), pointer, definition, new ArrayList<>());
    }

    /** Throws when a value within a request's body is no object. */
    public static ObjectNode requireObject(JsonNode node, String pointer) {
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw new ApiException(
                ErrorCode.INVALID_REQUEST,
                "A JSON object is expected.",
                List.of(new Detail(pointer, "must be an object")));
    }

    /** Throws when anything was wrong, or when there is a field that is not defined. */
    public void check() {
        checkUnknown();
        if (!violations.isEmpty()) {
            throw refusal();
        }
    }

    private ApiException refusal() {
        var shown = violations.subList(0, Math.min(violations.size(), MAX_DETAILS));
        var first = shown.getFirst();
        var where = first.pointer().isEmpty() ? "The body" : "'" + first.pointer() + "'";
        return new ApiException(ErrorCode.INVALID_REQUEST, sentence(where + " " + first.message()), List.copyOf(shown));
    }

    /** {@code words} with a full stop, unless they end with a mark already. */
    public static String sentence(String words) {
        return words.endsWith("?") || words.endsWith(".") ? words : words + ".";
    }

    private void checkUnknown() {
        var known = definition.fields().keySet();
        object.fieldNames().forEachRemaining(field -> {
            if (!known.contains(field)) {
                violation(field, "is not a known field" + Choice.hint(field, known));
            }
        });
    }

    /** Adds a violation of a rule that this class does not know. */
    public void violation(String field, String message) {
        violations.add(new Detail(pointer(field), message));
    }

    /** Adds a violation of a rule by a member of an object that is a field. */
    public void violation(String field, String member, String message) {
        violations.add(new Detail(pointer(field) + "/" + escaped(member), message));
    }

    /** JSON Pointer to a field in the request's body. */
    public String pointer(String field) {
        return pointer + "/" + escaped(field);
    }

    /** A name as it stands in a JSON Pointer. */
    public static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    /** Whether a field is given. */
    public boolean has(String field) {
        return value(field) != null;
    }

    private @Nullable JsonNode value(String field) {
        var value = object.get(field);
        return value == null || value.isNull() ? null : value;
    }

    /** A URL-safe resource name. */
    public String name(String field) {
        var name = text(field);
        if (!name.isEmpty()) {
            checkName(field, name);
        }
        return name;
    }

    /** Adds a violation when {@code name}, which the path of a request gives for a field, is no resource name. */
    public void checkName(String field, String name) {
        if (!ValueType.NAME.matches(name)) {
            violation(
                    field,
                    "must be 1 to 63 lower-case letters, digits and hyphens, starting and ending without hyphen");
        }
    }

    /** A resource name, or null when it is absent. */
    @Nullable
    public String optionalName(String field) {
        return value(field) == null ? null : name(field);
    }

    /** The name of a secret, as it can stand in a placeholder. */
    public String secretName(String field) {
        var name = text(field);
        if (!name.isEmpty() && !ValueType.SECRET_NAME.matches(name)) {
            violation(field, "must be 1 to 63 letters, digits, hyphens and underscores");
        }
        return name;
    }

    /** A text that is not empty. */
    public String text(String field) {
        var text = optionalText(field);
        if (text == null) {
            missing(field);
            return "";
        }
        return text;
    }

    /** A text that is not empty, or null when it is absent. */
    @Nullable
    public String optionalText(String field) {
        var value = value(field);
        if (value == null) {
            return null;
        }
        var maxLength = definition.field(field).as(Text.class).maxLength();
        if (!value.isTextual()
                || value.textValue().isEmpty()
                || value.textValue().length() > maxLength) {
            violation(field, "must be a string of 1 to " + maxLength + " characters");
            return null;
        }
        return value.textValue();
    }

    private void missing(String field) {
        if (value(field) == null) {
            violation(field, "is required");
        }
    }

    /** Any JSON value, or null when it is absent. */
    @Nullable
    public JsonNode optionalTree(String field) {
        return value(field);
    }

    /** A JSON object. */
    public ObjectNode object(String field) {
        var value = value(field);
        if (value instanceof ObjectNode found) {
            return found;
        }
        violation(field, value == null ? "is required" : "must be an object");
        return JsonNodeFactory.instance.objectNode();
    }

    /** The fields of an object within this one; an absent one reads as empty when it is not required. */
    public Fields fields(String field) {
        return fields(field, definition.field(field).as(ObjectDefinition.class));
    }

    /** The same, of an object whose definition depends on other fields. */
    public Fields fields(String field, ObjectDefinition nested) {
        var isAbsent = value(field) == null && !definition.field(field).isRequired();
        var given = isAbsent ? JsonNodeFactory.instance.objectNode() : object(field);
        return new Fields(given, pointer + "/" + field, nested, violations);
    }

    /** Checks that an object within this one has no unknown field. */
    public void checkNested() {
        checkUnknown();
    }

    /** A whole number; its default when it is absent. */
    public int integer(String field) {
        var given = optionalInteger(field);
        return given == null ? fallback(field).intValue() : given;
    }

    private JsonNode fallback(String field) {
        return Objects.requireNonNull(definition.field(field).defaultValue(), field);
    }

    /** A whole number, or null when it is absent. */
    public @Nullable Integer optionalInteger(String field) {
        var value = value(field);
        if (value == null) {
            return null;
        }
        var limits = definition.field(field).as(Whole.class);
        if (!Json.isInt(value) || value.intValue() < limits.min() || value.intValue() > limits.max()) {
            violation(field, "must be a whole number from " + limits.min() + " to " + limits.max());
            return null;
        }
        return value.intValue();
    }

    /** A number. */
    public double decimal(String field) {
        var value = value(field);
        var limits = definition.field(field).as(Decimal.class);
        if (value != null
                && value.isNumber()
                && value.doubleValue() >= limits.min()
                && value.doubleValue() <= limits.max()) {
            return value.doubleValue();
        }
        violation(
                field,
                value == null
                        ? "is required"
                        : "must be a number from %s to %s".formatted(plain(limits.min()), plain(limits.max())));
        return limits.min();
    }

    private static String plain(double number) {
        return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }

    /** Milliseconds; their default when they are absent. */
    public Duration milliseconds(String field) {
        return Duration.ofMillis(integer(field));
    }

    /** A boolean; its default when it is absent. */
    public boolean flag(String field) {
        var value = value(field);
        if (value != null && !value.isBoolean()) {
            violation(field, "must be true or false");
        }
        return (value == null ? fallback(field) : value).booleanValue();
    }

    /** One of the constants of an enum; its default when it is absent. */
    public <E extends Enum<E>> E choice(String field, Class<E> type) {
        var chosen = optionalChoice(field, type);
        if (chosen != null) {
            return chosen;
        }
        var fallback = definition.field(field).defaultValue();
        if (fallback == null) {
            missing(field);
            return type.getEnumConstants()[0];
        }
        return Objects.requireNonNull(Choice.of(fallback.asText(), type), field);
    }

    /**
     * One of the constants of an enum that decides what other fields mean: throws at once when it is absent or wrong,
     * since nothing can be said of those fields then.
     */
    public <E extends Enum<E>> E decisiveChoice(String field, Class<E> type) {
        var chosen = optionalChoice(field, type);
        if (chosen == null) {
            if (value(field) == null) {
                violation(field, "is required");
            }
            throw refusal();
        }
        return chosen;
    }

    /** One of the constants of an enum, or null when it is absent. */
    public <E extends Enum<E>> @Nullable E optionalChoice(String field, Class<E> type) {
        var value = value(field);
        if (value == null) {
            return null;
        }
        var chosen = value.isTextual() ? Choice.of(value.textValue(), type) : null;
        if (chosen == null) {
            violation(field, "must be " + Choice.oneOf(value.asText(), Choice.words(type)));
        }
        return chosen;
    }

    /** A map of strings, empty when it is absent. */
    public Map<String, String> texts(String field) {
        var texts = new LinkedHashMap<String, String>();
        if (value(field) == null) {
            return texts;
        }
        object(field).properties().forEach(entry -> {
            if (entry.getValue().isTextual()) {
                texts.put(entry.getKey(), entry.getValue().textValue());
            } else {
                violation(field, entry.getKey(), "must be a string");
            }
        });
        var maxEntries = definition.field(field).as(MapOf.class).max();
        if (texts.size() > maxEntries) {
            violation(field, "must have at most " + maxEntries + " entries");
        }
        return texts;
    }

    /** An ISO 8601 point in time with an offset, or null when it is absent. */
    @Nullable
    public Instant optionalInstant(String field) {
        var value = value(field);
        if (value == null) {
            return null;
        }
        try {
            if (value.isTextual() && value.textValue().length() <= MAX_TIME) {
                return Timestamps.parse(value.textValue());
            }
        } catch (DateTimeParseException _) {
            // The message below says it.
        }
        violation(field, "must be " + Timestamps.EXPECTED);
        return null;
    }

    /** An ISO 8601 point in time with an offset. */
    public Instant instant(String field) {
        var time = optionalInstant(field);
        if (time == null) {
            missing(field);
        }
        return time == null ? Instant.EPOCH : time;
    }

    /** An ISO 8601 duration that is not negative, or null when it is absent. */
    @Nullable
    public Duration optionalDuration(String field) {
        var value = value(field);
        if (value == null) {
            return null;
        }
        try {
            if (value.isTextual() && value.textValue().length() <= MAX_TIME) {
                var duration = Duration.parse(value.textValue());
                if (!duration.isNegative()) {
                    return duration;
                }
            }
        } catch (DateTimeParseException _) {
            // The message below says it.
        }
        violation(field, "must be an ISO 8601 duration that is not negative, such as PT15M");
        return null;
    }

    /** An ISO 8601 duration that is not negative. */
    public Duration duration(String field) {
        var duration = optionalDuration(field);
        if (duration == null) {
            missing(field);
        }
        return duration == null ? Duration.ZERO : duration;
    }

    /** An ISO 8601 duration in whole milliseconds, of at most {@code max}, or null when it is absent. */
    public @Nullable Duration optionalDuration(String field, Duration max) {
        var duration = optionalDuration(field);
        if (duration != null
                && (duration.compareTo(max) > 0
                        || !duration.truncatedTo(ChronoUnit.MILLIS).equals(duration))) {
            violation(field, "must be in whole milliseconds and at most " + max);
        }
        return duration;
    }

    /** The elements of an array, at least one. */
    public List<JsonNode> array(String field) {
        var value = value(field);
        var max = definition.field(field).as(ListOf.class).max();
        if (value == null || !value.isArray() || value.isEmpty() || value.size() > max) {
            violation(field, "must be an array of 1 to " + max + " elements");
            return List.of();
        }
        var elements = new ArrayList<JsonNode>(value.size());
        value.forEach(elements::add);
        return elements;
    }
}
