package io.taskexec.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.PatternSyntaxException;
import java.io.InputStream;
import org.everit.json.schema.Schema;
import org.everit.json.schema.loader.SchemaLoader;
import org.jspecify.annotations.Nullable;

/** Loads a schema into the library, with its access to the network and to files taken away. */
final class Compiler {
    private Compiler() {}

    /** Throws InvalidSchemaException. */
    static Schema compile(JsonNode schema) {
        var draft = Draft.of(schema);
        try {
            var json = LibraryJson.object(schema);
            // The library would follow it instead of the draft that we chose.
            json.remove(Draft.KEYWORD);
            var loader = draft.configure(SchemaLoader.builder())
                    .schemaJson(json)
                    .regexpFactory(new BoundedRegexps())
                    .enableOverrideOfBuiltInFormatValidators()
                    .addFormatValidator(new BoundedEmail())
                    .addFormatValidator(Rfc3339.DATE_TIME)
                    .schemaClient(Compiler::refuse);
            if (draft == Draft.V7) {
                // Older drafts have no such formats, and take any text for them.
                loader.addFormatValidator(Rfc3339.DATE).addFormatValidator(Rfc3339.TIME);
            }
            return loader.build().load().build();
        } catch (PatternSyntaxException e) {
            throw new InvalidSchemaException("a regular expression is not valid: " + reason(e));
        } catch (StackOverflowError _) {
            throw new InvalidSchemaException("the schema is nested too deeply");
        } catch (BudgetExceededException e) {
            throw e;
        } catch (RuntimeException e) {
            // The library has no common type for what it throws, and all of it is about the schema.
            throw new InvalidSchemaException(reason(e));
        }
    }

    private static InputStream refuse(String url) {
        throw new InvalidSchemaException("$ref leads out of the schema, to '" + Excerpt.of(url) + "'");
    }

    private static String reason(Throwable failure) {
        @Nullable String message = failure.getMessage();
        return Excerpt.of(message == null ? "the schema is not valid" : message);
    }
}
