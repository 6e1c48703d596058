package io.taskexec.model.activity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The calls of an endpoint within the last minute.
 *
 * @param running calls that are under way
 * @param attempts calls that ended
 * @param failures those of them that failed
 */
public record EndpointActivity(String endpoint, int running, long attempts, long failures, Latencies latencies) {
    /** Returns the sum of what two workers have done. */
    public EndpointActivity plus(EndpointActivity other) {
        return new EndpointActivity(
                endpoint,
                running + other.running,
                attempts + other.attempts,
                failures + other.failures,
                latencies.plus(other.latencies));
    }

    ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        json.put("endpoint", endpoint)
                .put("running", running)
                .put("attempts", attempts)
                .put("failures", failures)
                .set("latencies", latencies.toJson());
        return json;
    }

    static EndpointActivity of(JsonNode json) {
        return new EndpointActivity(
                json.path("endpoint").asText(),
                json.path("running").asInt(),
                json.path("attempts").asLong(),
                json.path("failures").asLong(),
                Latencies.of(json.path("latencies")));
    }
}
