package io.taskexec.api.explanation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.taskexec.model.PublicId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One reason with its facts, which {@link ReasonShape} lists. */
final class Reason {
    private final ReasonCode code;
    private final String message;
    private final ObjectNode facts = JsonNodeFactory.instance.objectNode();

    /** @param message one or two sentences */
    Reason(ReasonCode code, String message) {
        this.code = code;
        this.message = message;
    }

    ReasonCode code() {
        return code;
    }

    String message() {
        return message;
    }

    /** Adds a fact, unless it is null. */
    @CanIgnoreReturnValue
    Reason with(String name, @Nullable String value) {
        return value == null ? this : with(name, JsonNodeFactory.instance.textNode(value));
    }

    @CanIgnoreReturnValue
    Reason with(String name, @Nullable Instant value) {
        return value == null ? this : with(name, value.toString());
    }

    @CanIgnoreReturnValue
    Reason with(String name, @Nullable Integer value) {
        return value == null ? this : with(name, JsonNodeFactory.instance.numberNode(value));
    }

    @CanIgnoreReturnValue
    Reason with(String name, @Nullable Double value) {
        return value == null
                ? this
                : with(name, JsonNodeFactory.instance.numberNode(Math.round(value * 1000) / 1000.0));
    }

    @CanIgnoreReturnValue
    Reason with(String name, @Nullable JsonNode value) {
        if (value != null) {
            facts.set(name, value);
        }
        return this;
    }

    /** Adds the ids of executions. */
    @CanIgnoreReturnValue
    Reason with(String name, Collection<UUID> executions) {
        var ids = facts.putArray(name);
        executions.forEach(id -> ids.add(PublicId.EXECUTION.show(id)));
        return this;
    }

    /** The form that the API shows. */
    ObjectNode toJson() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("code", code.word())
                .put("message", message)
                .setAll(facts);
    }

    /** The form of a time in a message. */
    static String shown(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** A number with its noun. */
    static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
