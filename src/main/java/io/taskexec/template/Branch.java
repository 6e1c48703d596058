package io.taskexec.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** A node of a parsed tree. */
sealed interface Branch {
    /** Hands over the templates of the branch, which stands at {@code pointer} in the tree. */
    void visit(String pointer, BiConsumer<String, Template> visitor);

    /** The branch with its templates resolved, counted into {@code size}. */
    JsonNode resolve(Scope scope, Size size);

    /** An object. */
    record Members(Map<String, Branch> members) implements Branch {
        @Override
        public void visit(String pointer, BiConsumer<String, Template> visitor) {
            members.forEach((name, member) -> member.visit(pointer + "/" + TreeParser.escaped(name), visitor));
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
        public void visit(String pointer, BiConsumer<String, Template> visitor) {
            for (var i = 0; i < elements.size(); i++) {
                elements.get(i).visit(pointer + "/" + i, visitor);
            }
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
        public void visit(String pointer, BiConsumer<String, Template> visitor) {
            visitor.accept(pointer, template);
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
        public void visit(String pointer, BiConsumer<String, Template> visitor) {}

        @Override
        public JsonNode resolve(Scope scope, Size size) {
            size.add(value);
            return value;
        }
    }
}
