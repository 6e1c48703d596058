package io.taskexec.model.dependency;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Output;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a parent when its child runs.
 *
 * @param name what the child calls it
 * @param status of its execution, which has ended unless the rule of the child lets it run earlier
 */
public record ParentResult(
        String name,
        String status,
        @Nullable JsonNode output,
        @Nullable JsonNode error) {
    /** What templates and conditions see, by the names of the parents. */
    public static ObjectNode tree(List<ParentResult> parents) {
        var tree = JsonNodeFactory.instance.objectNode();
        parents.forEach(parent -> {
            var node = tree.putObject(parent.name()).put("status", parent.status());
            if (parent.output() != null) {
                node.set("output", Output.withJson(parent.output()));
            }
            if (parent.error() != null) {
                node.set("error", parent.error());
            }
        });
        return tree;
    }
}
