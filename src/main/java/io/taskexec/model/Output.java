package io.taskexec.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The output of an execution as it is shown: beside the body of an answer, what it says in JSON. */
public final class Output {
    private Output() {}

    /**
     * Adds {@code json} to an output whose {@code body} is a whole JSON object or array. It is not stored, since the
     * body says it all.
     */
    public static @Nullable JsonNode withJson(@Nullable JsonNode output) {
        if (!(output instanceof ObjectNode object) || object.path("truncated").booleanValue()) {
            return output;
        }
        var body = object.path("body").asText("").strip();
        if (!body.startsWith("{") && !body.startsWith("[")) {
            return output;
        }
        var json = Json.partOrNull(body);
        return json == null ? output : object.deepCopy().set("json", json);
    }
}
