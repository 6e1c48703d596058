package io.taskexec.schema;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** JSON for the tests of schemas; single quotes stand for double ones. */
final class Schemas {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private Schemas() {}

    static JsonNode json(String text) {
        try {
            return MAPPER.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    static CheckBudget budget() {
        return CheckBudget.of(CheckBudget.MOST_STEPS, Duration.ofSeconds(20));
    }

    static InputSchema schema(String text) {
        return InputSchema.compileNew(json(text), budget());
    }

    static List<Violation> validate(InputSchema schema, @Nullable JsonNode input) {
        return schema.validate(input, budget());
    }
}
