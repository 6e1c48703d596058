package io.taskexec.template;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Counts what a tree resolves to: the characters of its names and values, plus one for each value, so that many empty
 * ones count too. A few placeholders for a large input would otherwise multiply it without end.
 */
final class Size {
    /** Levels within a resolved value; far below what the writers of JSON and our stack can take. */
    static final int MAX_DEPTH = 500;

    private int left = Template.MAX_CHARACTERS;

    /** Throws UnresolvableException when this is too much. */
    void add(int characters) {
        if (characters > left) {
            throw Template.tooLarge();
        }
        left -= characters;
    }

    /** Throws UnresolvableException when this is too much. */
    void add(JsonNode value) {
        add(value, 0);
    }

    private void add(JsonNode value, int depth) {
        if (depth > MAX_DEPTH) {
            throw new UnresolvableException("the resolved template has more than " + MAX_DEPTH + " levels");
        }
        add(1);
        if (value.isValueNode()) {
            add(value.asText().length());
            return;
        }
        for (var member : value.properties()) {
            add(member.getKey().length());
        }
        for (var child : value) {
            add(child, depth + 1);
        }
    }
}
