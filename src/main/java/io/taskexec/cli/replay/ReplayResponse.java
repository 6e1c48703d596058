package io.taskexec.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The response to an attempt, or the reason why there is none.
 *
 * @param status null without a response
 * @param body its beginning, in which secrets are redacted
 * @param isTruncated whether the body had more
 * @param reason why there is no response; empty when there is one
 */
public record ReplayResponse(@Nullable Integer status, String body, boolean isTruncated, String reason) {
    /** The most bytes of a body that a server keeps. */
    public static final int MAX_BYTES = 64 * 1024;

    private static final int CLASS = 100;

    /** A request that was not answered. */
    public static ReplayResponse none(String reason) {
        return new ReplayResponse(null, "", false, reason);
    }

    /** Reads an attempt of the API. Of errors, the length alone tells that a body was cut. */
    public static ReplayResponse recorded(JsonNode attempt) {
        var output = attempt.path("output");
        var error = attempt.path("error");
        var isError = !output.has("status_code");
        var answer = isError ? error : output;
        if (!answer.has("status_code")) {
            var reason = error.isObject()
                    ? error.path("type").asText() + ": " + error.path("message").asText()
                    : "the attempt is " + attempt.path("status").asText();
            return none(reason);
        }
        var body = answer.path("body").asText("");
        var isLong = body.getBytes(StandardCharsets.UTF_8).length >= MAX_BYTES;
        return new ReplayResponse(
                answer.path("status_code").intValue(),
                body,
                answer.path("truncated").booleanValue() || (isError && isLong),
                "");
    }

    /** Whether both have a status of the same class, such as 2xx. */
    public boolean hasClassOf(ReplayResponse other) {
        return status != null && other.status != null && status / CLASS == other.status / CLASS;
    }

    /** The same with as much of the body as another one has, where that was cut. */
    public ReplayResponse cutAs(ReplayResponse other) {
        return other.isTruncated && body.length() > other.body.length()
                ? new ReplayResponse(status, body.substring(0, other.body.length()), true, reason)
                : this;
    }

    /** The lines that are compared: status or reason, and the body, JSON with a line for each value. */
    List<String> lines() {
        var first = status == null ? "no response (" + reason + ")" : "HTTP " + status;
        var json = isTruncated ? null : Json.partOrNull(body);
        var text = json != null && json.isContainerNode() ? json.toPrettyString() : body;
        return text.isEmpty()
                ? List.of(first)
                : Stream.concat(Stream.of(first), text.lines()).toList();
    }

    ObjectNode json() {
        var json = JsonNodeFactory.instance.objectNode();
        if (status == null) {
            return json.put("reason", reason);
        }
        return json.put("status_code", status).put("body", body).put("truncated", isTruncated);
    }
}
