package io.taskexec.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * What waits and runs in each queue. A queue is there when an endpoint names it; how much waits is what a dry run of
 * cancelling it all would cancel, which the server counts up to 100,000.
 */
public final class Queues {
    private static final String DEFAULT = "default";
    private static final int MOST_RUNNING = 200;

    private Queues() {}

    /** The names of all queues, in their order. */
    public static List<String> names(ServerClient client) throws RefusedException, IOException, InterruptedException {
        var names = new TreeSet<String>();
        names.add(DEFAULT);
        for (var endpoint :
                Pages.read(client, ServerPath.of("/endpoints"), Pages.ALL).items()) {
            names.add(endpoint.path("queue").asText(DEFAULT));
        }
        return List.copyOf(names);
    }

    /** Every queue with its counts. */
    public static List<JsonNode> all(ServerClient client) throws RefusedException, IOException, InterruptedException {
        var queues = new ArrayList<JsonNode>();
        for (var name : names(client)) {
            queues.add(one(client, name));
        }
        return queues;
    }

    /** The counts of one queue; {@code more} says that one of them is greater than what was counted. */
    public static ObjectNode one(ServerClient client, String name)
            throws RefusedException, IOException, InterruptedException {
        var queue = JsonNodeFactory.instance.objectNode().put("name", name);
        var more = count(client, queue, "ready", "QUEUED");
        more |= count(client, queue, "scheduled", "PENDING");
        more |= count(client, queue, "retrying", "RETRYING");
        var running = Pages.read(
                client, ServerPath.of("/executions").with("queue", name).with("status", "RUNNING"), MOST_RUNNING);
        return queue.put("running", running.items().size()).put("more", more || running.more());
    }

    private static boolean count(ServerClient client, ObjectNode queue, String field, String status)
            throws RefusedException, IOException, InterruptedException {
        var request =
                JsonNodeFactory.instance.objectNode().put("action", "cancel").put("dry_run", true);
        request.putObject("filter").put("queue", queue.path("name").asText()).put("status", status);
        var preview = client.post("/executions/bulk", request);
        queue.put(field, preview.path("count").asLong());
        return preview.path("more").asBoolean();
    }
}
