package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.dependency.TriggerRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A job of a workflow, as its definition has it.
 *
 * @param input its strings are templates
 * @param dependsOn the names of other jobs of the workflow
 * @param when a condition on their outputs
 * @param delay from the moment when its trigger rule holds
 * @param ttl null for that of its queue
 * @param queue null for that of its endpoint
 * @param timeout of each call; null for that of the endpoint
 */
public record WorkflowJob(
        String endpoint,
        @Nullable JsonNode input,
        List<String> dependsOn,
        TriggerRule rule,
        @Nullable JsonNode when,
        Duration delay,
        @Nullable Duration ttl,
        @Nullable String queue,
        int priority,
        @Nullable Duration timeout,
        RetryRules rules,
        Set<String> tags) {
    private static final int USUAL_PRIORITY = 4;

    /** The form that the API shows and the store keeps. */
    ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode().put("endpoint", endpoint);
        if (input != null) {
            json.set("input", input);
        }
        if (!dependsOn.isEmpty()) {
            dependsOn.forEach(json.putArray("depends_on")::add);
        }
        if (rule != TriggerRule.ALL_SUCCESS) {
            json.put("trigger_rule", rule.word());
        }
        if (when != null) {
            json.set("when", when);
        }
        if (!delay.isZero()) {
            json.put("delay", delay.toString());
        }
        if (ttl != null) {
            json.put("ttl", ttl.toString());
        }
        if (queue != null) {
            json.put("queue", queue);
        }
        if (priority != USUAL_PRIORITY) {
            json.put("priority", priority);
        }
        if (timeout != null) {
            json.put("timeout_ms", timeout.toMillis());
        }
        rules.addTo(json);
        if (!tags.isEmpty()) {
            tags.forEach(json.putArray("tags")::add);
        }
        return json;
    }

    /** Reads back what {@link #toJson} wrote. */
    static WorkflowJob of(JsonNode json) {
        var rule = TriggerRule.ofWord(json.path("trigger_rule").textValue());
        return new WorkflowJob(
                json.path("endpoint").asText(),
                json.get("input"),
                texts(json.path("depends_on")),
                rule == null ? TriggerRule.ALL_SUCCESS : rule,
                json.get("when"),
                json.has("delay") ? Duration.parse(json.get("delay").asText()) : Duration.ZERO,
                json.has("ttl") ? Duration.parse(json.get("ttl").asText()) : null,
                json.path("queue").textValue(),
                json.path("priority").asInt(USUAL_PRIORITY),
                json.has("timeout_ms")
                        ? Duration.ofMillis(json.get("timeout_ms").longValue())
                        : null,
                RetryRules.of(json),
                new TreeSet<>(texts(json.path("tags"))));
    }

    private static List<String> texts(JsonNode array) {
        var texts = new ArrayList<String>();
        array.forEach(element -> texts.add(element.asText()));
        return List.copyOf(texts);
    }
}
