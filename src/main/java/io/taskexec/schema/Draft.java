package io.taskexec.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.everit.json.schema.loader.SchemaLoader;

/** The versions of JSON Schema that are understood. */
enum Draft {
    V4(4),
    V6(6),
    V7(7);

    static final String KEYWORD = "$schema";

    private static final Map<String, Draft> BY_PATH = Map.of(
            "json-schema.org/draft-04/schema", V4,
            "json-schema.org/draft-06/schema", V6,
            "json-schema.org/draft-07/schema", V7);

    private final int number;

    Draft(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    /** Returns the draft that {@code schema} names, else draft 7; throws InvalidSchemaException for any other. */
    static Draft of(JsonNode schema) {
        var named = schema.get(KEYWORD);
        if (named == null) {
            return V7;
        }
        var draft = BY_PATH.get(named.asText().replaceFirst("^https?://", "").replaceFirst("#$", ""));
        if (draft == null) {
            throw new InvalidSchemaException("$schema " + Excerpt.of(named.toString()) + " is not supported: use"
                    + " http://json-schema.org/draft-07/schema#, draft-06 or draft-04");
        }
        return draft;
    }

    /** Makes the library follow this draft. */
    SchemaLoader.SchemaLoaderBuilder configure(SchemaLoader.SchemaLoaderBuilder loader) {
        return switch (this) {
            case V4 -> loader;
            case V6 -> loader.draftV6Support();
            case V7 -> loader.draftV7Support();
        };
    }
}
