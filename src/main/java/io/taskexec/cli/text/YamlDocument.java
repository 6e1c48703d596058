package io.taskexec.cli.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.HashMap;
import java.util.Map;

/**
 * One document of a file.
 *
 * @param file what the file is called in messages
 */
public record YamlDocument(String file, JsonNode tree, Places places) {
    /** The line of each value, by its JSON pointer. */
    public static final class Places {
        private final Map<String, Integer> lines = new HashMap<>();

        void put(String pointer, int line) {
            lines.put(pointer, line);
        }

        /** The line of what is at a pointer, or of the nearest thing around it. */
        int line(String pointer) {
            var around = pointer;
            while (!lines.containsKey(around) && !around.isEmpty()) {
                around = around.substring(0, Math.max(0, around.lastIndexOf('/')));
            }
            return lines.getOrDefault(around, 1);
        }
    }

    /** What was never in a file. */
    public static YamlDocument nowhere() {
        return new YamlDocument("", JsonNodeFactory.instance.objectNode(), new Places());
    }

    /** Where something is, as {@code file:line}. */
    public String at(String pointer) {
        return file + ":" + places.line(pointer);
    }

    /** The name of a field as a part of a pointer. */
    public static String escape(String field) {
        return field.replace("~", "~0").replace("/", "~1");
    }
}
