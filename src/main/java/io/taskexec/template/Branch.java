package io.taskexec.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A node of a parsed tree. */
sealed interface Branch {
    /** Adds what the branch refers to. */
    void collect(Set<Reference> references);

    /** The branch with its templates resolved, counted into {@code size}. */
    JsonNode resolve(Scope scope, Size size);

    /** An object. */
    record Members(Map<String, Branch> members) implements Branch {
        @Override
        public void collect(Set<Reference> references) {
            members.values().forEach(member -> member.collect(references));
        }

        @Override
        public JsonNode resolve(Scope scope, Size size) {
            var object = JsonNodeFactory.instance.objectNode();
            members.forEach((name, member) -> {
                size.add(name.length());
                object.set(name, member.resolve(scope, size));
            });
            return object;
        }
    }

    /** An array. */
    record Elements(List<Branch> elements) implements Branch {
        @Override
        public void collect(Set<Reference> references) {
            elements.forEach(element -> element.collect(references));
        }

        @Override
        public JsonNode resolve(Scope scope, Size size) {
            var array = JsonNodeFactory.instance.arrayNode(elements.size());
            elements.forEach(element -> array.add(element.resolve(scope, size)));
            return array;
        }
    }

    /** A string. */
    record Leaf(Template template) implements Branch {
        @Override
        public void collect(Set<Reference> references) {
            references.addAll(template.references());
        }

        @Override
        public JsonNode resolve(Scope scope, Size size) {
            var value = template.value(scope);
            size.add(value);
            return value;
        }
    }

    /** Anything else, which stands for itself. */
    record Constant(JsonNode value) implements Branch {
        @Override
        public void collect(Set<Reference> references) {}

        @Override
        public JsonNode resolve(Scope scope, Size size) {
            size.add(value);
            return value;
        }
    }
}
