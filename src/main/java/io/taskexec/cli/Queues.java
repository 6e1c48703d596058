package io.taskexec.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Reads queues and counts their executions. A dry run of a bulk cancellation counts waiting executions, up to 100,000;
 * running ones are listed, up to 200.
 */
public final class Queues {
    private static final ServerPath PATH = ServerPath.of("/queues");
    private static final int MAX_RUNNING = 200;
    private static final List<String> COUNTS = List.of("ready", "scheduled", "retrying", "running");

    /** The column that tells what is paused. */
    public static final ResourceColumn PAUSE = ResourceColumn.of("PAUSE", ResourceColumn.Format.NEXT_TIME);

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

    /** Returns every queue with its counts, in the order of their names. */
    public static List<JsonNode> all(ServerClient client) throws IOException, InterruptedException {
        var found = new ArrayList<>(Pages.read(client, PATH, Pages.ALL).items());
        found.sort(Comparator.comparing(queue -> queue.path("name").asText()));
        var queues = new ArrayList<JsonNode>();
        for (var queue : found) {
            queues.add(counted(client, queue));
        }
        return queues;
    }

    /** Returns a queue that exists, with its counts. */
    public static JsonNode one(ServerClient client, String name) throws IOException, InterruptedException {
        return counted(client, client.get(PATH.below(name).toString()));
    }

    /** Adds the counts of a queue; {@code more} names the counts that reached their limit. */
    private static ObjectNode counted(ServerClient client, JsonNode found) throws IOException, InterruptedException {
        var name = found.path("name").asText();
        var queue = ((ObjectNode) found).deepCopy();
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
