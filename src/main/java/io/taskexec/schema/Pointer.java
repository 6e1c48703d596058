package io.taskexec.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.List;

/**
 * Translates the library's pointers into JSON Pointers (RFC 6901). The library escapes more than the standard does, and
 * does it again at each level of nested failures; so each name is unescaped until the input has it.
 */
final class Pointer {
    /** More than one escape for each level that a failure can be nested. */
    private static final int MAX_ESCAPES = 200;

    private Pointer() {}

    /** The JSON Pointer for {@code library}, a pointer of the form {@code #/a/b} into {@code input}. */
    static String of(String library, JsonNode input) {
        var pointer = new StringBuilder();
        var at = input;
        var pieces = List.of(library.split("/", -1));
        // The first piece is what stands before the first slash.
        for (var escaped : pieces.subList(1, pieces.size())) {
            var name = nameIn(at, escaped);
            pointer.append('/').append(name.replace("~", "~0").replace("/", "~1"));
            at = child(at, name);
        }
        return pointer.toString();
    }

    private static String nameIn(JsonNode parent, String escaped) {
        var name = escaped;
        for (var times = 0; times < MAX_ESCAPES && child(parent, name).isMissingNode(); times++) {
            name = unescape(name);
        }
        return child(parent, name).isMissingNode() ? unescape(escaped) : name;
    }

    private static String unescape(String name) {
        return name.replace("\\\"", "\"")
                .replace("\\\\", "\\")
                .replace("~1", "/")
                .replace("~0", "~");
    }

    private static JsonNode child(JsonNode parent, String name) {
        if (parent.isArray()) {
            return name.matches("[0-9]{1,9}") ? parent.path(Integer.parseInt(name)) : MissingNode.getInstance();
        }
        return parent.path(name);
    }
}
