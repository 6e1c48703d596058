package io.taskexec.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.Optional;
import org.everit.json.schema.Schema;
import org.everit.json.schema.ValidationException;
import org.everit.json.schema.Validator;
import org.jspecify.annotations.Nullable;

/**
 * A compiled JSON Schema of draft 4, 6 or 7. Regular expressions are those of RE2, which match in linear time and have
 * no look-around. Immutable. Compiling and checking end within a bound of time, by throwing BudgetExceededException;
 * only what cannot be interrupted, some tens of milliseconds for the worst schemas, is added to it.
 */
public final class InputSchema {
    /** With a schema beyond this, a single look at a value may take long. */
    private static final int MAX_SMALL_CHARACTERS = 8 * 1024;

    /**
     * The limit for gathering all violations, lower for deep inputs: the library keeps each, and copies all of them for
     * each level.
     */
    private static final long STEPS_FOR_ALL_VIOLATIONS = 50_000;

    private final Schema schema;
    private final InputLimits limits;
    private final boolean small;

    private InputSchema(Schema schema, InputLimits limits, boolean small) {
        this.schema = schema;
        this.limits = limits;
        this.small = small;
    }

    /**
     * Compiles {@code schema}, as draft 7 when it does not name its draft. Throws InvalidSchemaException for what is no
     * schema, refers to anything outside itself, uses keywords of later drafts, is larger than 64 KiB or has more than
     * 64 levels.
     */
    public static InputSchema compile(JsonNode schema, CheckBudget budget) {
        return budget.spendOn(() -> compile(schema));
    }

    /**
     * Compiles a schema that is new: what breaks the meta-schema of its draft is refused too. A schema that was
     * accepted before there was this check goes on to work.
     */
    public static InputSchema compileNew(JsonNode schema, CheckBudget budget) {
        return budget.spendOn(() -> {
            SchemaRules.check(schema);
            MetaSchema.check(schema);
            return compile(schema);
        });
    }

    private static InputSchema compile(JsonNode schema) {
        SchemaRules.check(schema);
        var small = schema.toString().length() <= MAX_SMALL_CHARACTERS;
        var compiled = new InputSchema(Compiler.compile(schema), InputLimits.of(schema), small);
        compiled.probe();
        return compiled;
    }

    /** Whether every single step of a check is short, so that a small budget keeps all of it short. */
    public boolean isSmall() {
        return small;
    }

    /**
     * Returns the violations of {@code input}, at most 50; a null or absent one counts as an empty object. Of an input
     * with very many violations only the first is found. An input beyond the limits of the validator is a violation
     * too.
     */
    public List<Violation> validate(@Nullable JsonNode input, CheckBudget budget) {
        var checked = input == null || input.isNull() || input.isMissingNode()
                ? JsonNodeFactory.instance.objectNode()
                : input;
        return budget.spendOn(() -> violations(checked));
    }

    private List<Violation> violations(JsonNode input) {
        try {
            limits.check(input);
            var value = LibraryJson.of(input);
            var first = failure(value, true);
            return first == null ? List.of() : all(value, first, input);
        } catch (UncheckableException e) {
            return List.of(e.violation());
        }
    }

    private List<Violation> all(Object value, ValidationException first, JsonNode input) {
        var budget = CheckBudget.part(STEPS_FOR_ALL_VIOLATIONS / (1 + Depth.of(input)));
        try {
            var all = budget.spendOn(() -> Optional.ofNullable(failure(value, false)));
            return Report.of(all.orElse(first), input);
        } catch (BudgetExceededException e) {
            if (e.isOfTime() || budget.isCut()) {
                // More is possible with a greater whole.
                throw e;
            }
            return Report.of(first, input);
        } catch (UncheckableException _) {
            return Report.of(first, input);
        }
    }

    /** Finds the commonest kind of schema without end when it is registered and not when it is first used. */
    private void probe() {
        try {
            // An empty object need not be valid.
            var _ = failure(LibraryJson.of(JsonNodeFactory.instance.objectNode()), true);
        } catch (UncheckableException e) {
            throw new InvalidSchemaException(e.violation().message());
        }
    }

    /** The library's failure, null when there is none. */
    private @Nullable ValidationException failure(Object value, boolean firstAlone) {
        var validator = Validator.builder().withListener(new SchemaVisits());
        try {
            (firstAlone ? validator.failEarly() : validator).build().performValidation(schema, value);
            return null;
        } catch (ValidationException e) {
            return e;
        } catch (StackOverflowError _) {
            // Depth is bounded on both sides, so that only references can have led this far.
            throw new UncheckableException("the schema's references do not end for this input");
        }
    }
}
