package io.taskexec.cli.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.HashMap;
import java.util.Map;

/**
 * One YAML document of a file.
 *
 * @param file the name of the file in messages
 */
public record YamlDocument(String file, JsonNode tree, Places places) {
    /** Lines of values, by JSON pointer. */
    public static final class Places {
        private final Map<String, Integer> lines = new HashMap<>();

        void put(String pointer, int line) {
            lines.put(pointer, line);
        }

        /** Returns the line of a value, or of the nearest value around it. */
        int line(String pointer) {
            var around = pointer;
            while (!lines.containsKey(around) && !around.isEmpty()) {
                around = around.substring(0, Math.max(0, around.lastIndexOf('/')));
            }
            return lines.getOrDefault(around, 1);
        }
    }

    /** Returns an empty document without a file. */
    public static YamlDocument nowhere() {
        return new YamlDocument("", JsonNodeFactory.instance.objectNode(), new Places());
    }

    /** Returns the place of a value, as {@code file:line}. */
    public String at(String pointer) {
        return file + ":" + places.line(pointer);
    }

    /** Escapes the name of a field for a JSON pointer. */
    public static String escape(String field) {
        return field.replace("~", "~0").replace("/", "~1");
    }
}
