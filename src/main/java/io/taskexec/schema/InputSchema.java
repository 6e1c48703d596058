package io.taskexec.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import org.everit.json.schema.Schema;
import org.everit.json.schema.ValidationException;
import org.everit.json.schema.Validator;
import org.jspecify.annotations.Nullable;

/**
 * A compiled JSON Schema of draft 4, 6 or 7. Regular expressions are those of RE2, which match in linear time and have
 * no look-around. Immutable.
 */
public final class InputSchema {
    private final Schema schema;
    private final InputLimits limits;

    private InputSchema(Schema schema, InputLimits limits) {
        this.schema = schema;
        this.limits = limits;
    }

    /**
     * Compiles {@code schema}, as draft 7 when it does not name its draft. Throws InvalidSchemaException for what is no
     * schema, refers to anything outside itself, uses keywords of later drafts, is larger than 64 KiB or has more than 64
     * levels.
     */
    public static InputSchema compile(JsonNode schema) {
        SchemaRules.check(schema);
        var compiled = new InputSchema(Compiler.compile(schema), InputLimits.of(schema));
        compiled.probe();
        return compiled;
    }

    /**
     * Compiles a schema that is new: what breaks the meta-schema of its draft is refused too. A schema that was accepted
     * before there was this check goes on to work.
     */
    public static InputSchema compileNew(JsonNode schema) {
        SchemaRules.check(schema);
        MetaSchema.check(schema);
        return compile(schema);
    }

    /**
     * What is wrong with {@code input}, at most 50 violations; a null or absent one counts as an empty object. An input
     * beyond the limits of the validator is a violation too.
     */
    public List<Violation> validate(@Nullable JsonNode input) {
        return input == null || input.isNull() || input.isMissingNode()
                ? violations(JsonNodeFactory.instance.objectNode())
                : violations(input);
    }

    private List<Violation> violations(JsonNode input) {
        try {
            check(input);
            return List.of();
        } catch (ValidationException e) {
            return Report.of(e, input);
        } catch (UncheckableException e) {
            return List.of(e.violation());
        }
    }

    /** Finds the commonest kind of schema without end when it is registered and not when it is first used. */
    private void probe() {
        try {
            check(JsonNodeFactory.instance.objectNode());
        } catch (UncheckableException e) {
            throw new InvalidSchemaException(e.violation().message());
        } catch (ValidationException _) {
            // An empty object need not be valid.
        }
    }

    private void check(JsonNode input) {
        limits.check(input);
        var validator = Validator.builder().withListener(new ReferenceBudget()).build();
        try {
            validator.performValidation(schema, LibraryJson.of(input));
        } catch (StackOverflowError _) {
            // Depth is bounded on both sides, so that only references can have led this far.
            throw new UncheckableException("the schema's references do not end for this input");
        }
    }
}
