package io.taskexec.cli.replay;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.text.PlainLine;
import java.util.function.UnaryOperator;

/**
 * A recorded response beside the one of a replay.
 *
 * @param attempt its number
 * @param redact removes secrets from the URL
 */
public record ReplayReport(
        String executionId,
        int attempt,
        LocalRequest request,
        UnaryOperator<String> redact,
        ReplayResponse recorded,
        ReplayResponse replayed) {
    /** Returns the difference. */
    public String table() {
        var text = new StringBuilder(request.method() + " " + target() + "\n");
        text.append("--- attempt %d of %s\n".formatted(attempt, executionId));
        text.append("+++ this replay\n");
        LineDiff.of(recorded.lines(), replayed.lines())
                .forEach(line -> text.append(PlainLine.of(line).stripTrailing()).append('\n'));
        return text.append(recorded.lines().equals(replayed.lines()) ? "No difference.\n" : "")
                .toString();
    }

    /** A query may have secrets, and so may the path. */
    private String target() {
        var uri = request.uri();
        return redact.apply(uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath())
                + (uri.getRawQuery() == null ? "" : "?...");
    }

    public ObjectNode json() {
        var json = JsonNodeFactory.instance.objectNode();
        json.put("execution_id", executionId).put("attempt_number", attempt);
        json.putObject("request").put("method", request.method()).put("url", target());
        json.set("recorded", recorded.json());
        json.set("replayed", replayed.json());
        var missing = json.putArray("missing_secrets");
        request.missing().forEach(missing::add);
        return json.put("same_status_class", replayed.hasClassOf(recorded))
                .put("same", recorded.lines().equals(replayed.lines()));
    }
}
