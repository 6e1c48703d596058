package io.taskexec.model;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.databind.node.ValueNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** JSON text to tree and back, with numbers kept as they were written: 12.50 stays 12.50. */
public final class Json {
    /** The limit for nested objects and arrays in what others send. */
    public static final int MAX_DEPTH = 64;

    /** The limit for JSON that becomes a part of other JSON. */
    public static final int MAX_PART_DEPTH = 32;

    /** The limit for the exponent of a number in what others send, as that of our SQL functions: nine digits. */
    private static final int MAX_EXPONENT = 999_999_999;

    /** The limit for the digits of a number in what others send. */
    private static final int MAX_DIGITS = 1_000;

    /** A number has other zeros and another exponent once it is written: so many digits more. */
    private static final int MORE_DIGITS = 50;

    /** The names of the library in its messages, which mean nothing to those who sent the JSON. */
    private static final Pattern NAMES_OF_LIBRARY =
            Pattern.compile("(?:, from|: enable| for `ObjectNode`: not allowed when) `[^`]*`(?: to allow| enabled)?");

    private static final JsonMapper MAPPER = mapper(MAX_DEPTH, MAX_DIGITS, new LimitedNumbers());
    private static final JsonMapper OF_PARTS = mapper(MAX_PART_DEPTH, MAX_DIGITS, new LimitedNumbers());

    /** We wrap what others send, so stored JSON may be deeper. This reads all that can be written. */
    private static final JsonMapper OF_STORED =
            mapper(StreamWriteConstraints.DEFAULT_MAX_DEPTH, MAX_DIGITS + MORE_DIGITS, JsonNodeFactory.instance);

    private static JsonMapper mapper(int depth, int digits, JsonNodeFactory nodes) {
        return JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(depth)
                                .maxNumberLength(digits)
                                .build())
                        .build())
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .nodeFactory(nodes)
                .build();
    }

    private Json() {}

    /** Refuses exponents that the library can read, but not always once they are written in another form. */
    private static final class LimitedNumbers extends JsonNodeFactory {
        private static final long serialVersionUID = 1;

        @Override
        public ValueNode numberNode(BigDecimal number) {
            var exponent = (long) number.precision() - number.scale() - 1;
            if (Math.abs(exponent) > MAX_EXPONENT) {
                // As the library does for larger ones.
                throw new NumberFormatException("exponent " + exponent);
            }
            return super.numberNode(number);
        }
    }

    /**
     * The tree in {@code text}.
     *
     * @throws JsonProcessingException when it is not one JSON value, nests too deeply, repeats a key or has a number
     *     with too many digits or too large an exponent
     */
    public static JsonNode parse(String text) throws JsonProcessingException {
        return read(MAPPER, text);
    }

    /**
     * The tree in what a server of taskexec has answered, which may be deeper than what it takes.
     *
     * @throws JsonProcessingException as {@link #parse} does
     */
    public static JsonNode parseAnswer(String text) throws JsonProcessingException {
        return read(OF_STORED, text);
    }

    private static JsonNode read(JsonMapper mapper, String text) throws JsonProcessingException {
        try (var parser = mapper.createParser(text)) {
            return read(mapper, parser);
        } catch (JsonProcessingException e) {
            throw e;
        } catch (IOException e) {
            throw JsonMappingException.fromUnexpectedIOE(e);
        }
    }

    private static JsonNode read(JsonMapper mapper, JsonParser parser) throws IOException {
        try {
            JsonNode tree = mapper.readTree(parser);
            if (tree == null) {
                throw new JsonParseException(parser, "There is no JSON value");
            }
            return tree;
        } catch (NumberFormatException _) {
            throw new JsonParseException(
                    parser, "A number has an exponent of more than 9 digits", parser.currentTokenLocation());
        } catch (JsonProcessingException e) {
            var place = e.getLocation();
            throw new JsonParseException(
                    parser, plain(e.getOriginalMessage()), place == null ? parser.currentLocation() : place);
        }
    }

    private static String plain(String message) {
        return NAMES_OF_LIBRARY.matcher(message).replaceAll("");
    }

    /**
     * The tree in {@code text}, which is to be a part of another one; null when it is no JSON, is beyond the limits, or
     * has texts that not every database can keep.
     */
    public static @Nullable JsonNode partOrNull(String text) {
        try {
            var tree = read(OF_PARTS, text);
            return hasStorableTexts(tree, text) ? tree : null;
        } catch (JsonProcessingException _) {
            return null;
        }
    }

    /**
     * Whether every database can keep the names and strings in {@code tree}, which was read from {@code text}: none has
     * a NUL or half of a surrogate pair.
     */
    public static boolean hasStorableTexts(JsonNode tree, String text) {
        // These can only come from an escape.
        return !text.contains("\\u") || hasStorableTexts(tree);
    }

    private static boolean hasStorableTexts(JsonNode tree) {
        return switch (tree) {
            case TextNode value -> isStorable(value.textValue());
            case ObjectNode object ->
                object.properties().stream().allMatch(e -> isStorable(e.getKey()) && hasStorableTexts(e.getValue()));
            default -> tree.valueStream().allMatch(Json::hasStorableTexts);
        };
    }

    private static boolean isStorable(String text) {
        return text.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    /** Whether {@code value} is a whole number within the range of an int, in any spelling, such as 4.0 or 4e0. */
    public static boolean isInt(JsonNode value) {
        // None of these writes a large exponent out as digits.
        return value.isNumber() && value.canConvertToInt() && value.canConvertToExactIntegral();
    }

    /** The tree in a text that we wrote ourselves; null for null. */
    public static @Nullable JsonNode stored(@Nullable String text) {
        try {
            return text == null ? null : read(OF_STORED, text);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("stored JSON cannot be read", e);
        }
    }

    /** A tree like {@code tree} with {@code change} applied to every string value in it. */
    public static JsonNode mapTexts(JsonNode tree, UnaryOperator<String> change) {
        return map(tree, UnaryOperator.identity(), value -> value.isTextual() ? changed(value, change) : value);
    }

    /** The same, and applied to names and numbers too: a number that changes becomes a string. */
    public static JsonNode mapAll(JsonNode tree, UnaryOperator<String> change) {
        return map(tree, change, value -> value.isTextual() || value.isNumber() ? changed(value, change) : value);
    }

    private static JsonNode map(JsonNode tree, UnaryOperator<String> names, UnaryOperator<JsonNode> values) {
        return switch (tree) {
            case ObjectNode object -> {
                var mapped = object.objectNode();
                object.properties().forEach(e -> mapped.set(names.apply(e.getKey()), map(e.getValue(), names, values)));
                yield mapped;
            }
            case ArrayNode array -> {
                var mapped = array.arrayNode(array.size());
                array.forEach(element -> mapped.add(map(element, names, values)));
                yield mapped;
            }
            default -> values.apply(tree);
        };
    }

    private static JsonNode changed(JsonNode value, UnaryOperator<String> change) {
        var text = value.asText();
        var changed = change.apply(text);
        return changed.equals(text) ? value : TextNode.valueOf(changed);
    }

    /** The members of an object that all are strings, in their order; empty when there is no object. */
    public static Map<String, String> texts(JsonNode object) {
        var texts = new LinkedHashMap<String, String>();
        object.properties().forEach(e -> texts.put(e.getKey(), e.getValue().textValue()));
        return texts;
    }

    /** The compact text of {@code tree}; null for null. */
    public static @Nullable String text(@Nullable JsonNode tree) {
        return tree == null ? null : write(tree);
    }

    /** The compact text of {@code tree}. */
    public static String write(JsonNode tree) {
        try {
            return MAPPER.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
