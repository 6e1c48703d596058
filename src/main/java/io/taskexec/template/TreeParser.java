package io.taskexec.template;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;

/** Turns a JSON tree into branches, leaving out no level unchecked. */
final class TreeParser {
    private TreeParser() {}

    static Branch parse(JsonNode tree) {
        return parse(tree, "", 0);
    }

    private static Branch parse(JsonNode node, String pointer, int depth) {
        if (node.isContainerNode() && depth == TemplateTree.MAX_DEPTH) {
            throw new TemplateSyntaxException("the template has more than " + TemplateTree.MAX_DEPTH + " levels");
        }
        return switch (node.getNodeType()) {
            case OBJECT -> members(node, pointer, depth);
            case ARRAY -> elements(node, pointer, depth);
            case STRING -> leaf(node, pointer);
            case NUMBER, BOOLEAN, NULL, BINARY, POJO, MISSING -> new Branch.Constant(node);
        };
    }

    private static Branch members(JsonNode node, String pointer, int depth) {
        var members = new LinkedHashMap<String, Branch>();
        for (var member : node.properties()) {
            var below = pointer + "/" + escaped(member.getKey());
            members.put(member.getKey(), parse(member.getValue(), below, depth + 1));
        }
        return new Branch.Members(members);
    }

    /** A name as it stands in a JSON Pointer. */
    static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    private static Branch elements(JsonNode node, String pointer, int depth) {
        var elements = new ArrayList<Branch>();
        for (var element : node) {
            elements.add(parse(element, pointer + "/" + elements.size(), depth + 1));
        }
        return new Branch.Elements(elements);
    }

    private static Branch leaf(JsonNode node, String pointer) {
        try {
            return new Branch.Leaf(Template.parse(node.textValue()));
        } catch (TemplateSyntaxException e) {
            throw e.in(pointer);
        }
    }
}
