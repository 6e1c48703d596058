package io.taskexec.web.page;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Writes a delivery as a command of curl, with marks in the places of secrets. */
final class Curl {
    private Curl() {}

    static String of(ObjectNode request) {
        // Without globbing, brackets and braces are a part of the URL.
        var command = new StringBuilder("curl -X %s --globoff %s"
                .formatted(
                        request.path("method").asText(),
                        quoted(request.path("url").asText())));
        request.path("headers")
                .forEachEntry(
                        (name, value) -> command.append(" \\\n  -H ").append(quoted(name + ": " + value.asText())));
        if (request.hasNonNull("body")) {
            command.append(" \\\n  --data-binary ")
                    .append(quoted(request.path("body").asText()));
        }
        return command.toString();
    }

    /** Text that a shell takes as it is. */
    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
