package io.taskexec.schema;

import com.fasterxml.jackson.databind.JsonNode;

/** Measures the depth of a tree: its levels of objects and arrays. */
final class Depth {
    private Depth() {}

    /** The number of levels. */
    static int of(JsonNode node) {
        var deepest = 0;
        for (var child : node) {
            deepest = Math.max(deepest, of(child));
        }
        return node.isValueNode() ? 0 : deepest + 1;
    }

    /** Looks no deeper than one level beyond {@code limit}, so that no tree is too deep for it. */
    static boolean exceeds(JsonNode node, int limit) {
        if (node.isValueNode()) {
            return false;
        }
        if (limit == 0) {
            return true;
        }
        CheckBudget.charge(1);
        for (var child : node) {
            if (exceeds(child, limit - 1)) {
                return true;
            }
        }
        return false;
    }
}
