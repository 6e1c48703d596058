package io.taskexec.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import org.jspecify.annotations.Nullable;

/** Finds the value of a reference in a scope. */
final class Lookup {
    private final Reference reference;

    private Lookup(Reference reference) {
        this.reference = reference;
    }

    /** The value; JSON null when that is what is there. Throws UnresolvableException when nothing is. */
    static JsonNode find(Reference reference, Scope scope) {
        var lookup = new Lookup(reference);
        return switch (reference.namespace()) {
            case INPUT -> lookup.in(scope.input(), "there is no input");
            case CONFIG -> lookup.in(scope.config(), "the endpoint has no config");
            case SECRET -> lookup.among(scope.secrets());
            case PARENTS -> lookup.in(scope.parents(), "the job depends on no other one");
            case WORKFLOW -> lookup.in(scope.workflow(), "the job belongs to no workflow");
            case JOB -> lookup.in(scope.job(), "there is no job yet");
        };
    }

    private JsonNode among(SecretSource secrets) {
        var name = reference.secretName();
        var value = name == null ? null : secrets.find(name);
        if (value == null) {
            throw new UnresolvableException(reference, "there is no secret '" + name + "'");
        }
        return TextNode.valueOf(value);
    }

    private JsonNode in(@Nullable JsonNode root, String absent) {
        if (root == null || root.isNull() || root.isMissingNode()) {
            throw new UnresolvableException(reference, absent);
        }
        var node = root;
        for (var depth = 0; depth < reference.path().size(); depth++) {
            node = step(node, depth);
        }
        return node;
    }

    private JsonNode step(JsonNode node, int depth) {
        var next = switch (reference.path().get(depth)) {
            case Step.Name(var name) -> node.isObject() ? node.get(name) : null;
            case Step.Index(var index) -> node.isArray() ? node.get(index) : null;
        };
        if (next == null) {
            throw new UnresolvableException(reference, reference.prefix(depth) + lacks(node, depth));
        }
        return next;
    }

    private String lacks(JsonNode node, int depth) {
        return switch (reference.path().get(depth)) {
            case Step.Name(var name) -> node.isObject() ? " has no '" + name + "'" : " is not an object";
            case Step.Index(var index) -> node.isArray() ? " has no element " + index : " is not an array";
        };
    }
}
