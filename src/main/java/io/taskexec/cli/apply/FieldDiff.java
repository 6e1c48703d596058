package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.FlatTree;
import java.util.ArrayList;
import java.util.List;

/** Compares two values: a line with a minus for each removed field, and one with a plus for each added field. */
final class FieldDiff {
    private static final String HIDDEN = "(hidden)";

    private FieldDiff() {}

    /** Returns the difference field by field; empty when the values are equal. */
    static List<String> between(JsonNode before, JsonNode after) {
        var old = FlatTree.of(before, true);
        var wanted = FlatTree.of(after, true);
        var lines = new ArrayList<String>();
        old.forEach((path, value) -> {
            var other = wanted.get(path);
            if (!value.equals(other)) {
                lines.add(line('-', path, value));
                if (other != null) {
                    lines.add(line('+', path, other));
                }
            }
        });
        wanted.forEach((path, value) -> {
            if (!old.containsKey(path)) {
                lines.add(line('+', path, value));
            }
        });
        return lines;
    }

    /** Returns all fields as added. */
    static List<String> appearing(JsonNode after) {
        return FlatTree.of(after, true).entrySet().stream()
                .map(e -> line('+', e.getKey(), e.getValue()))
                .toList();
    }

    /** Returns the line for a secret, whose value stays hidden. */
    static List<String> ofSecret() {
        return List.of(line('+', "value", HIDDEN));
    }

    /** Returns the change of a job's endpoint version. */
    static List<String> ofVersion(int before, int after) {
        return List.of(
                line('-', "endpoint_version", Integer.toString(before)),
                line('+', "endpoint_version", Integer.toString(after)));
    }

    private static String line(char sign, String path, String value) {
        return sign + "   " + path + ": " + value;
    }
}
