package io.taskexec.client;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.function.Function;

/**
 * Turns Java into JSON and back. Numbers keep their digits, instants and durations are ISO 8601, and unknown fields are
 * left out.
 */
public final class Json {
    /** That of the API: snake case, and nothing for null. */
    static final ObjectMapper API = mapper().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            .build();

    /** The default for inputs and results: names as they are in Java. */
    static final ObjectMapper DATA = mapper().build();

    private Json() {}

    /**
     * Returns the mapper that inputs and results have by default.
     *
     * @return a shared one; copy it to change it
     */
    public static ObjectMapper data() {
        return DATA;
    }

    /**
     * Returns what a request with this body looks like at the server.
     *
     * @param body a map, a builder or a record of the API
     * @return the tree
     */
    public static JsonNode sent(Object body) {
        try {
            // By way of text, so that numbers have the types that they are read with.
            return API.readTree(API.writeValueAsBytes(body));
        } catch (IOException e) {
            throw new IllegalArgumentException("The body cannot be written as JSON.", e);
        }
    }

    /**
     * Returns how large a value is within a request.
     *
     * @param value such as the result of a task
     * @return the bytes of its JSON as it is sent
     * @throws IllegalArgumentException when it cannot be written as JSON
     */
    public static int sizeSent(Object value) {
        try {
            return API.writeValueAsBytes(value).length;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static JsonMapper.Builder mapper() {
        return JsonMapper.builder()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .addModule(times());
    }

    /**
     * Returns the module that reads and writes instants and durations, for a mapper of your own.
     *
     * @return a new module
     */
    public static SimpleModule times() {
        return new SimpleModule("taskexec-times")
                .addSerializer(new TextSerializer<>(Instant.class))
                .addDeserializer(
                        Instant.class,
                        new TextDeserializer<>(
                                Instant.class,
                                text -> OffsetDateTime.parse(text).toInstant()))
                .addSerializer(new TextSerializer<>(Duration.class))
                .addDeserializer(Duration.class, new TextDeserializer<>(Duration.class, Duration::parse));
    }

    /** Writes what it says of itself. */
    private static final class TextSerializer<T> extends StdScalarSerializer<T> {
        private static final long serialVersionUID = 1;

        TextSerializer(Class<T> type) {
            super(type);
        }

        @Override
        public void serialize(T value, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeString(value.toString());
        }
    }

    /** Reads a text. */
    private static final class TextDeserializer<T> extends StdScalarDeserializer<T> {
        private static final long serialVersionUID = 1;

        private final transient Function<String, T> parse;

        TextDeserializer(Class<T> type, Function<String, T> parse) {
            super(type);
            this.parse = parse;
        }

        @Override
        public T deserialize(JsonParser in, DeserializationContext context) throws IOException {
            var text = in.getText();
            try {
                return parse.apply(text);
            } catch (java.time.DateTimeException e) {
                throw context.weirdStringException(text, handledType(), e.getMessage());
            }
        }
    }
}
