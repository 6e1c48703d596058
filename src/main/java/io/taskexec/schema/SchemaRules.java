package io.taskexec.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Set;

/** Rejects schemas that the library would accept: it ignores unknown keywords and fetches references. */
final class SchemaRules {
    static final int MAX_BYTES = 64 * 1024;
    static final int MAX_DEPTH = 64;

    private static final Set<String> LATER_KEYWORDS = Set.of(
            "prefixItems",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
            "unevaluatedItems",
            "minContains",
            "maxContains",
            "$dynamicRef",
            "$recursiveRef");
    /** Keywords whose members have names of the user's choice and are schemas themselves. */
    private static final Set<String> MAPS_OF_SCHEMAS =
            Set.of("properties", "patternProperties", "definitions", "$defs", "dependencies");
    /** Keywords whose values are data, in which anything may look like a keyword. */
    private static final Set<String> DATA = Set.of("enum", "const", "default", "examples");

    private final boolean laterKeywordsMean;
    private final Set<String> ids;

    private SchemaRules(JsonNode root) {
        // A schema that names its draft knows that such a word means nothing in it.
        this.laterKeywordsMean = !root.has(Draft.KEYWORD);
        this.ids = new HashSet<>(root.findValuesAsText("$id"));
        ids.addAll(root.findValuesAsText("id"));
    }

    /** Throws InvalidSchemaException when {@code schema} breaks a rule. */
    static void check(JsonNode schema) {
        if (!schema.isObject()) {
            throw new InvalidSchemaException("a schema is a JSON object");
        }
        if (Depth.exceeds(schema, MAX_DEPTH)) {
            throw new InvalidSchemaException("the schema has more than " + MAX_DEPTH + " levels");
        }
        if (schema.toString().getBytes(UTF_8).length > MAX_BYTES) {
            throw new InvalidSchemaException("the schema is larger than " + MAX_BYTES / 1024 + " KiB");
        }
        new SchemaRules(schema).checkSchema(schema);
    }

    private void checkSchema(JsonNode schema) {
        schema.properties().forEach(keyword -> checkKeyword(keyword.getKey(), keyword.getValue()));
        if (schema.isArray()) {
            schema.forEach(this::checkSchema);
        }
    }

    private void checkKeyword(String keyword, JsonNode value) {
        if (laterKeywordsMean && LATER_KEYWORDS.contains(keyword)) {
            throw new InvalidSchemaException(
                    "'" + keyword + "' belongs to a later draft of JSON Schema than 7, which is not supported");
        }
        if (keyword.equals("$ref") && value.isTextual()) {
            checkReference(value.textValue());
        }
        if (MAPS_OF_SCHEMAS.contains(keyword)) {
            value.forEach(this::checkSchema);
        } else if (!DATA.contains(keyword)) {
            checkSchema(value);
        }
    }

    private void checkReference(String reference) {
        if (!reference.startsWith("#")) {
            throw new InvalidSchemaException("$ref '" + Excerpt.of(reference)
                    + "' is not allowed: only references within the schema, such as #/definitions/name, are");
        }
        // The library takes a name that nothing has for the whole schema.
        if (reference.length() > 1 && reference.charAt(1) != '/' && !ids.contains(reference)) {
            throw new InvalidSchemaException("$ref '" + Excerpt.of(reference) + "' leads to nothing in the schema");
        }
    }
}
