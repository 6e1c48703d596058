package io.taskexec.model.activity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * Tells with a heartbeat what a worker does.
 *
 * @param slots attempts that it runs at a time
 * @param usedSlots attempts that it runs now
 * @param ended executions whose end it recorded within the last minute
 * @param leastUrgent the lowest priority that pressure lets it start, as a number
 * @param endpoints the busiest ones, at most {@link #MAX_ENDPOINTS}
 */
public record WorkerActivity(int slots, int usedSlots, long ended, int leastUrgent, List<EndpointActivity> endpoints) {
    /** All priorities start. */
    public static final int ALL_PRIORITIES = 7;

    /** So few that a heartbeat stays small, whatever the worker does. */
    public static final int MAX_ENDPOINTS = 20;

    /** Returns the part that is kept as JSON. */
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode().put("ended", ended).put("least_urgent", leastUrgent);
        var all = json.putArray("endpoints");
        endpoints.forEach(endpoint -> all.add(endpoint.toJson()));
        return json;
    }

    /** Reads back what {@link #toJson} wrote. */
    public static WorkerActivity of(int slots, int usedSlots, JsonNode json) {
        return new WorkerActivity(
                slots,
                usedSlots,
                json.path("ended").asLong(),
                json.path("least_urgent").asInt(ALL_PRIORITIES),
                StreamSupport.stream(json.path("endpoints").spliterator(), false)
                        .map(EndpointActivity::of)
                        .toList());
    }
}
