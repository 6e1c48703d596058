package io.taskexec.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.everit.json.schema.ValidationException;
import org.everit.json.schema.Validator;

/**
 * Validates schemas against the meta-schema of their draft. The library compiles much that they forbid, such as a
 * negative length, so that every input would be refused, or none.
 */
final class MetaSchema {
    private MetaSchema() {}

    /**
     * Throws InvalidSchemaException with the first thing that the meta-schema of its draft forbids in {@code schema}.
     */
    static void check(JsonNode schema) {
        var draft = Draft.of(schema);
        // Read anew each time: payload specs are rarely written, and so nothing is kept in static state.
        var metaSchema = Compiler.compile(read(draft));
        try {
            // Gathering all failures takes the library seconds when there are many of them deep down.
            Validator.builder()
                    .failEarly()
                    .withListener(new SchemaVisits())
                    .build()
                    .performValidation(metaSchema, LibraryJson.of(schema));
        } catch (ValidationException e) {
            var violation = Report.of(e, schema).getFirst();
            throw new InvalidSchemaException(reason(draft, violation), violation);
        } catch (UncheckableException e) {
            throw new InvalidSchemaException(e.violation().message());
        }
    }

    private static String reason(Draft draft, Violation violation) {
        var where = violation.pointer().isEmpty() ? "the schema" : "'" + Excerpt.of(violation.pointer()) + "'";
        return where + " is not as draft " + draft.number() + " demands: " + violation.message();
    }

    private static JsonNode read(Draft draft) {
        var file = "/json-schema/draft-" + draft.number() + ".json";
        try (var resource = Objects.requireNonNull(MetaSchema.class.getResourceAsStream(file), file)) {
            return Json.parse(new String(resource.readAllBytes(), UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
