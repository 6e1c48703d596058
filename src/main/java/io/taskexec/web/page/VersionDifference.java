package io.taskexec.web.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.util.List;
import java.util.Map;

/** Compares two versions of an endpoint, line by line, with what stands around each change. */
final class VersionDifference {
    private static final int AROUND = 3;
    /** The lines that name what is compared, which the page says itself. */
    private static final int HEAD = 2;

    private static final List<String> OF_EACH_VERSION = List.of("name", "version", "created_at", "updated_at");
    private static final int LONGEST = 200;

    private VersionDifference() {}

    /** The lines, each as {@code kind} and {@code text}; none when both versions have the same settings. */
    static List<Map<String, Object>> of(ObjectNode from, ObjectNode to) {
        var old = lines(from);
        var unified = UnifiedDiffUtils.generateUnifiedDiff("", "", old, DiffUtils.diff(old, lines(to)), AROUND);
        return unified.stream()
                .skip(HEAD)
                .map(line -> Map.<String, Object>of("kind", kind(line), "text", cut(line)))
                .toList();
    }

    private static String cut(String line) {
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
    }

    private static String kind(String line) {
        return switch (line.charAt(0)) {
            case '+' -> "added";
            case '-' -> "removed";
            case '@' -> "place";
            default -> "same";
        };
    }

    private static List<String> lines(ObjectNode version) {
        var settings = version.deepCopy().remove(OF_EACH_VERSION);
        return sorted(settings).toPrettyString().lines().toList();
    }

    /** The order of members says nothing. */
    private static JsonNode sorted(JsonNode node) {
        if (node instanceof ObjectNode object) {
            var sorted = JsonNodeFactory.instance.objectNode();
            object.properties().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .forEach(member -> sorted.set(member.getKey(), sorted(member.getValue())));
            return sorted;
        }
        if (node.isArray()) {
            var sorted = JsonNodeFactory.instance.arrayNode();
            node.forEach(element -> sorted.add(sorted(element)));
            return sorted;
        }
        return node;
    }
}
