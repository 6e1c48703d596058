package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.FlatTree;
import java.util.ArrayList;
import java.util.List;

/** What is not the same in two values: a line with a minus for each field that goes, one with a plus for each that comes. */
final class Difference {
    private static final String HIDDEN = "(hidden)";

    private Difference() {}

    /** Field by field; nothing when the values are the same. */
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

    /** A field that appears. */
    static List<String> appearing(JsonNode after) {
        return FlatTree.of(after, true).entrySet().stream()
                .map(e -> line('+', e.getKey(), e.getValue()))
                .toList();
    }

    /** That the value of a secret is written, which nobody may see. */
    static List<String> ofSecret() {
        return List.of(line('+', "value", HIDDEN));
    }

    /** The version of its endpoint that a job uses. */
    static List<String> ofVersion(int before, int after) {
        return List.of(
                line('-', "endpoint_version", Integer.toString(before)),
                line('+', "endpoint_version", Integer.toString(after)));
    }

    private static String line(char sign, String path, String value) {
        return sign + "   " + path + ": " + value;
    }
}
