package io.taskexec.template;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON and scopes for the tests of templates; single quotes stand for double ones. */
final class Trees {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private Trees() {}

    static JsonNode json(String text) {
        try {
            return MAPPER.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    static Scope input(String json) {
        return new Scope(json(json), null, SecretSource.NONE);
    }

    static Scope config(String json) {
        return new Scope(null, json(json), SecretSource.NONE);
    }

    static Scope secrets(Map<String, String> secrets) {
        return new Scope(null, null, name -> find(secrets, name));
    }

    private static @Nullable String find(Map<String, String> secrets, String name) {
        return secrets.get(name);
    }
}
