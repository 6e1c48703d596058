package io.taskexec.web.frame;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.quarkus.qute.CompletedStage;
import io.quarkus.qute.EvalContext;
import io.quarkus.qute.ValueResolver;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads fields of JSON in templates: one that is not there is {@link #ABSENT}, and so is each field of that. */
final class JsonValues implements ValueResolver {
    /** Stands for what is not there: false in a condition, empty in a loop, and written as nothing. */
    static final Map<String, Object> ABSENT = Map.of();

    @Override
    public int getPriority() {
        return Integer.MAX_VALUE;
    }

    @Override
    public boolean appliesTo(EvalContext context) {
        return context.getParams().isEmpty()
                && (isAbsent(context.getBase()) || context.getBase() instanceof ObjectNode);
    }

    @Override
    public CompletionStage<Object> resolve(EvalContext context) {
        return CompletedStage.of(
                context.getBase() instanceof ObjectNode object ? plain(object.get(context.getName())) : ABSENT);
    }

    static boolean isAbsent(@Nullable Object value) {
        return ABSENT.equals(value);
    }

    /** Values as Java has them, so that conditions and loops of templates know them. */
    static Object plain(@Nullable JsonNode value) {
        return switch (value) {
            case null -> ABSENT;
            case ObjectNode object -> object.isEmpty() ? ABSENT : object;
            case JsonNode list
            when list.isArray() -> list.valueStream().map(JsonValues::plain).toList();
            case JsonNode text when text.isTextual() -> text.textValue();
            case JsonNode number when number.isNumber() -> number.numberValue();
            case JsonNode flag when flag.isBoolean() -> flag.booleanValue();
            default -> ABSENT;
        };
    }
}
