package io.taskexec.schema;

import com.fasterxml.jackson.databind.JsonNode;

/** Keeps away from the library what it would need too much stack or time for. */
record InputLimits(boolean comparesItems) {
    /** The library needs several frames of the stack for each level. */
    static final int MAX_DEPTH = 128;

    /** The library compares each item with each other one. */
    static final int MAX_COMPARED_ITEMS = 5_000;

    /** The limits for inputs of {@code schema}. */
    static InputLimits of(JsonNode schema) {
        return new InputLimits(schema.findValue("uniqueItems") != null);
    }

    /** Throws UncheckableException for an input beyond the limits. */
    void check(JsonNode input) {
        if (Depth.exceeds(input, MAX_DEPTH)) {
            throw new UncheckableException("the input has more than " + MAX_DEPTH + " levels");
        }
        if (comparesItems && hasLongArray(input)) {
            throw new UncheckableException("where the schema asks for unique items, no array of the input may have more"
                    + " than " + MAX_COMPARED_ITEMS);
        }
    }

    private static boolean hasLongArray(JsonNode node) {
        if (node.isArray() && node.size() > MAX_COMPARED_ITEMS) {
            return true;
        }
        CheckBudget.charge(1);
        for (var child : node) {
            if (hasLongArray(child)) {
                return true;
            }
        }
        return false;
    }
}
