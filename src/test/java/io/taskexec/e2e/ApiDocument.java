package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** The OpenAPI document as committed, and what it says of an answer. */
record ApiDocument(JsonNode tree) {
    static final Path COMMITTED = Path.of("docs/openapi.json");

    private static final JsonMapper JSON = JsonMapper.builder().build();

    static ApiDocument read() {
        try {
            return new ApiDocument(JSON.readTree(Files.readString(COMMITTED)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All operations by what they are called with, such as {@code GET /jobs/{id}}. */
    Map<String, JsonNode> operations() {
        var operations = new TreeMap<String, JsonNode>();
        for (var path : tree.path("paths").properties()) {
            for (var operation : path.getValue().properties()) {
                operations.put(operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(), operation.getValue());
            }
        }
        return operations;
    }

    /** The error codes that an operation lists. */
    Set<String> codes(String route) {
        var codes = new HashSet<String>();
        operation(route)
                .path("responses")
                .forEach(response -> response.path("x-error-codes").forEach(code -> codes.add(code.asText())));
        return codes;
    }

    /** Whether an answer has a header, as far as the document says. */
    boolean hasHeader(String route, int status, String header) {
        return operation(route)
                .path("responses")
                .path(String.valueOf(status))
                .path("headers")
                .has(header);
    }

    /** Checks that an answer has all fields, and only those, that the document lists for its status. */
    void check(String route, int status, String body) {
        var response = operation(route).path("responses").path(String.valueOf(status));
        assertThat(response.isObject()).as("%s answers %d", route, status).isTrue();
        var content = response.path("content");
        if (content.isMissingNode()) {
            assertThat(body).isEmpty();
        } else {
            check("", content.path("application/json").path("schema"), parse(body));
        }
    }

    private JsonNode operation(String route) {
        var operation = operations().get(route);
        return Objects.requireNonNull(operation, route);
    }

    private void check(String where, JsonNode given, JsonNode value) {
        var schema = resolved(where, given, value);
        var properties = schema.path("properties");
        if (!properties.isMissingNode()) {
            schema.path("required")
                    .forEach(name -> assertThat(value.has(name.asText()))
                            .as(where + "/" + name.asText())
                            .isTrue());
            for (var field : value.properties()) {
                assertThat(properties.has(field.getKey()))
                        .as(where + "/" + field.getKey())
                        .isTrue();
                check(where + "/" + field.getKey(), properties.path(field.getKey()), field.getValue());
            }
        }
        if (schema.has("enum")) {
            assertThat(schema.path("enum")).as(where).contains(value);
        }
        value.forEach(element -> {
            if (schema.has("items")) {
                check(where + "/items", schema.path("items"), element);
            }
        });
        checkType(where, schema.path("type").asText(), value);
    }

    /** What a schema refers to; of a union, the one that its property says. */
    private JsonNode resolved(String where, JsonNode schema, JsonNode value) {
        if (schema.has("$ref")) {
            return resolved(where, tree.at(schema.path("$ref").asText().substring(1)), value);
        }
        if (!schema.has("oneOf")) {
            return schema;
        }
        var property = schema.at("/discriminator/propertyName").asText();
        var member =
                schema.at("/discriminator/mapping").path(value.path(property).asText());
        assertThat(member.isTextual()).as("%s/%s: %s", where, property, value).isTrue();
        return tree.at(member.asText().substring(1));
    }

    private static void checkType(String where, String type, JsonNode value) {
        switch (type) {
            case "object" -> assertThat(value.isObject()).as(where).isTrue();
            case "array" -> assertThat(value.isArray()).as(where).isTrue();
            case "string" -> assertThat(value.isTextual()).as(where).isTrue();
            case "integer" -> assertThat(value.isIntegralNumber()).as(where).isTrue();
            default -> {}
        }
    }

    static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(text, e);
        }
    }
}
