package io.taskexec.cli.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.taskexec.model.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/** Flattens a JSON tree into paths and values, such as {@code spec.headers.Accept}. */
public final class FlatTree {
    private FlatTree() {}

    /** Returns paths and values, in order. Strings have quotes if {@code quoted}; empty objects count as values. */
    public static Map<String, String> of(JsonNode tree, boolean quoted) {
        var lines = new LinkedHashMap<String, String>();
        add(tree, "", quoted, lines);
        return lines;
    }

    private static void add(JsonNode tree, String path, boolean quoted, Map<String, String> lines) {
        if (tree.isObject() && !tree.isEmpty()) {
            tree.properties().forEach(e -> add(e.getValue(), path + step(path.isEmpty(), e.getKey()), quoted, lines));
        } else if (tree.isArray() && !tree.isEmpty()) {
            for (var i = 0; i < tree.size(); i++) {
                add(tree.path(i), path + "[" + i + "]", quoted, lines);
            }
        } else {
            lines.put(path, tree.isTextual() && !quoted ? tree.textValue() : Json.write(tree));
        }
    }

    /** Quotes unusual names, so that paths are unique. */
    private static String step(boolean isFirst, String name) {
        if (!name.matches("[\\w-]+")) {
            return "[" + Json.write(TextNode.valueOf(name)) + "]";
        }
        return isFirst ? name : "." + name;
    }
}
