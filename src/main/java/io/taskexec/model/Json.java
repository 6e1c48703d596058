package io.taskexec.model;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** JSON text to tree and back, with numbers kept as they were written: 12.50 stays 12.50. */
public final class Json {
    /** The limit for nested objects and arrays in what others send. */
    public static final int MAX_DEPTH = 64;

    /** The limit for JSON that becomes a part of other JSON. */
    public static final int MAX_PART_DEPTH = 32;

    private static final JsonMapper MAPPER = mapper(MAX_DEPTH);
    private static final JsonMapper OF_PARTS = mapper(MAX_PART_DEPTH);

    /** We wrap what others send, so stored JSON may be deeper. This reads all that can be written. */
    private static final JsonMapper OF_STORED = mapper(StreamWriteConstraints.DEFAULT_MAX_DEPTH);

    private static JsonMapper mapper(int depth) {
        return JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(depth)
                                .build())
                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .build())
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .build();
    }

    private Json() {}

    /**
     * The tree in {@code text}.
     *
     * @throws JsonProcessingException when it is not one JSON value, nests too deeply or repeats a key
     */
    public static JsonNode parse(String text) throws JsonProcessingException {
        return parse(MAPPER, text);
    }

    /**
     * The tree in what a server of taskexec has answered, which may be deeper than what it takes.
     *
     * @throws JsonProcessingException as {@link #parse} does
     */
    public static JsonNode parseAnswer(String text) throws JsonProcessingException {
        return parse(OF_STORED, text);
    }

    private static JsonNode parse(JsonMapper mapper, String text) throws JsonProcessingException {
        var tree = mapper.readTree(text);
        if (tree.isMissingNode()) {
            throw new JsonParseException(null, "There is no JSON value");
        }
        return tree;
    }

    /** The tree in {@code text}, which is to be a part of another one; null when it is no JSON, or nests too deeply. */
    public static @Nullable JsonNode partOrNull(String text) {
        try {
            return OF_PARTS.readTree(text);
        } catch (JsonProcessingException _) {
            return null;
        }
    }

    /** The tree in a text that we wrote ourselves; null for null. */
    public static @Nullable JsonNode stored(@Nullable String text) {
        try {
            return text == null ? null : OF_STORED.readTree(text);
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
