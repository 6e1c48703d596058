package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.Output;
import io.taskexec.store.workflow.RunStore;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds what templates and conditions see of the run of a workflow. */
@Singleton
public final class WorkflowContexts {
    /** The limit of a context, and of the input of a run, in bytes of JSON. */
    public static final int MOST_BYTES = 1 << 20;

    private final RunStore runs;

    WorkflowContexts(RunStore runs) {
        this.runs = runs;
    }

    /**
     * The values of a run.
     *
     * @param tree null where nothing is needed of them
     */
    record Context(@Nullable JsonNode tree, boolean isTooLarge) {
        static final Context NONE = new Context(null, false);
    }

    /** @param isWhole whether the outputs of jobs are needed too */
    Uni<Context> of(UUID run, boolean isWhole) {
        return runs.input(run).chain(input -> {
            var tree = JsonNodeFactory.instance.objectNode();
            if (input != null) {
                tree.set("input", input);
            }
            return isWhole
                    ? merged(run).map(context -> new Context(tree.set("context", context), isTooLarge(context)))
                    : Uni.createFrom().item(new Context(tree, false));
        });
    }

    /** The answers of jobs that are JSON objects, merged in the order in which the jobs have succeeded. */
    public Uni<ObjectNode> merged(UUID run) {
        return runs.outputs(run).map(WorkflowContexts::merge);
    }

    private static ObjectNode merge(List<JsonNode> outputs) {
        var context = JsonNodeFactory.instance.objectNode();
        for (var output : outputs) {
            if (Output.withJson(output) instanceof ObjectNode shown && shown.get("json") instanceof ObjectNode json) {
                context.setAll(json);
            }
        }
        return context;
    }

    /** Whether JSON is too large for the context of a run. */
    public static boolean isTooLarge(JsonNode json) {
        return Json.write(json).getBytes(StandardCharsets.UTF_8).length > MOST_BYTES;
    }
}
