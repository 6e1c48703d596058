package io.taskexec.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Counts the executions of each queue. A queue exists when an endpoint names it. A dry run of a bulk cancellation
 * counts waiting executions, up to 100,000; running ones are listed, up to 200.
 */
public final class Queues {
    private static final String DEFAULT = "default";
    private static final int MAX_RUNNING = 200;
    private static final int NOT_FOUND = 404;
    private static final List<String> COUNTS = List.of("ready", "scheduled", "retrying", "running");

    private Queues() {}

    /**
     * Returns the columns of a table of queues.
     *
     * @param title the title of the first column
     * @param count the format of the numbers
     */
    public static List<ResourceColumn> fields(String title, ResourceColumn.Format count) {
        var fields = new ArrayList<ResourceColumn>();
        fields.add(ResourceColumn.of(title, ResourceColumn.Format.ID, "/name"));
        COUNTS.forEach(name -> fields.add(ResourceColumn.of(name.toUpperCase(Locale.ROOT), count, "/" + name)));
        return fields;
    }

    /** Returns the names of all queues, sorted. */
    public static List<String> names(ServerClient client) throws IOException, InterruptedException {
        var names = new TreeSet<String>();
        names.add(DEFAULT);
        for (var endpoint :
                Pages.read(client, ServerPath.of("/endpoints"), Pages.ALL).items()) {
            names.add(endpoint.path("queue").asText(DEFAULT));
        }
        return List.copyOf(names);
    }

    /** Returns every queue with its counts. */
    public static List<JsonNode> all(ServerClient client) throws IOException, InterruptedException {
        var queues = new ArrayList<JsonNode>();
        for (var name : names(client)) {
            queues.add(one(client, name));
        }
        return queues;
    }

    /** Returns the counts of a queue that exists. */
    public static ObjectNode known(ServerClient client, String name) throws IOException, InterruptedException {
        var queue = one(client, name);
        // Executions may remain in a queue that no endpoint names any more.
        var isEmpty = COUNTS.stream().allMatch(count -> queue.path(count).asLong() == 0);
        if (isEmpty && !names(client).contains(name)) {
            throw RefusedException.of(
                    NOT_FOUND,
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("code", "NOT_FOUND")
                            .put("message", "There is no queue '" + name + "': no endpoint names it."));
        }
        return queue;
    }

    /** Returns the counts of one queue; {@code more} names the counts that reached their limit. */
    private static ObjectNode one(ServerClient client, String name) throws IOException, InterruptedException {
        var queue = JsonNodeFactory.instance.objectNode().put("name", name);
        var more = JsonNodeFactory.instance.arrayNode();
        count(client, queue, "ready", "QUEUED", more);
        count(client, queue, "scheduled", "PENDING", more);
        count(client, queue, "retrying", "RETRYING", more);
        var running = Pages.read(
                client, ServerPath.of("/executions").with("queue", name).with("status", "RUNNING"), MAX_RUNNING);
        queue.put("running", running.items().size());
        if (running.more()) {
            more.add("running");
        }
        queue.set("more", more);
        return queue;
    }

    private static void count(ServerClient client, ObjectNode queue, String field, String status, ArrayNode more)
            throws IOException, InterruptedException {
        var request =
                JsonNodeFactory.instance.objectNode().put("action", "cancel").put("dry_run", true);
        request.putObject("filter").put("queue", queue.path("name").asText()).put("status", status);
        var preview = client.post("/executions/bulk", request);
        queue.put(field, preview.path("count").asLong());
        if (preview.path("more").asBoolean()) {
            more.add(field);
        }
    }
}
