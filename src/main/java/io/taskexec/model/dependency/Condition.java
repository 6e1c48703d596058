package io.taskexec.model.dependency;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A condition on JSON, such as on how the parents of a job have ended. */
public sealed interface Condition {
    /** Levels of NOT and of lists. */
    int MAX_DEPTH = 16;

    /** Whether it holds for this tree. */
    boolean holds(JsonNode tree);

    /** The places that it looks at. */
    Stream<JsonPointer> pointers();

    /** There is a value, null included, or there is none. */
    record Exists(JsonPointer pointer, boolean wanted) implements Condition {
        @Override
        public boolean holds(JsonNode tree) {
            return tree.at(pointer).isMissingNode() != wanted;
        }

        @Override
        public Stream<JsonPointer> pointers() {
            return Stream.of(pointer);
        }
    }

    /** There is a value, and it is one of these; numbers are equal that have the same value. */
    record OneOf(JsonPointer pointer, List<JsonNode> values) implements Condition {
        @Override
        public boolean holds(JsonNode tree) {
            var found = tree.at(pointer);
            return !found.isMissingNode() && values.stream().anyMatch(value -> value.equals(OneOf::compare, found));
        }

        private static int compare(JsonNode one, JsonNode other) {
            if (one.isNumber() && other.isNumber()) {
                return one.decimalValue().compareTo(other.decimalValue());
            }
            return one.equals(other) ? 0 : 1;
        }

        @Override
        public Stream<JsonPointer> pointers() {
            return Stream.of(pointer);
        }
    }

    /** The opposite of another one. */
    record Not(Condition condition) implements Condition {
        @Override
        public boolean holds(JsonNode tree) {
            return !condition.holds(tree);
        }

        @Override
        public Stream<JsonPointer> pointers() {
            return condition.pointers();
        }
    }

    /** All of some. */
    record All(List<Condition> conditions) implements Condition {
        @Override
        public boolean holds(JsonNode tree) {
            return conditions.stream().allMatch(condition -> condition.holds(tree));
        }

        @Override
        public Stream<JsonPointer> pointers() {
            return conditions.stream().flatMap(Condition::pointers);
        }
    }

    /**
     * Reads a condition as requests have it: {@code {"pointer": "/a/b", "equals": 1}}, or with {@code in} or
     * {@code exists} in place of {@code equals}; {@code {"not": condition}}; or an array, of which all must hold.
     * Throws {@link IllegalArgumentException}, whose message says what is wrong.
     */
    static Condition of(JsonNode json) {
        return of(json, 0);
    }

    private static Condition of(JsonNode json, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("must not have more than " + MAX_DEPTH + " levels");
        }
        if (json.isArray()) {
            var all = new ArrayList<Condition>();
            json.forEach(each -> all.add(of(each, depth + 1)));
            return new All(List.copyOf(all));
        }
        if (json.isObject() && json.size() == 1 && json.has("not")) {
            return new Not(of(json.get("not"), depth + 1));
        }
        if (!json.isObject() || json.size() != 2 || !json.path("pointer").isTextual()) {
            throw new IllegalArgumentException(
                    "must be an object with 'pointer' and one of 'equals', 'in' and 'exists', an object with 'not', or"
                            + " an array of these");
        }
        return test(pointer(json.get("pointer").textValue()), json);
    }

    private static JsonPointer pointer(String text) {
        try {
            return JsonPointer.compile(text);
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException("must have a JSON Pointer, such as /parents/check/output/json/ok");
        }
    }

    private static Condition test(JsonPointer pointer, JsonNode json) {
        if (json.has("equals")) {
            return new OneOf(pointer, List.of(json.get("equals")));
        }
        if (json.path("in").isArray()) {
            var values = new ArrayList<JsonNode>();
            json.get("in").forEach(values::add);
            return new OneOf(pointer, List.copyOf(values));
        }
        if (json.path("exists").isBoolean()) {
            return new Exists(pointer, json.get("exists").booleanValue());
        }
        throw new IllegalArgumentException("must have 'equals', an array 'in', or true or false in 'exists'");
    }
}
