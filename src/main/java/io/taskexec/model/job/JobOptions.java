package io.taskexec.model.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.dependency.Condition;
import io.taskexec.model.endpoint.RetryRules;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a job that few jobs have.
 *
 * @param when a condition as it was given, see {@link Condition}; null for none
 * @param isTemplate whether the strings of the input are templates
 * @param timeout of each call; null for that of the endpoint
 * @param rules which failures are retried; none for those of the endpoint
 */
public record JobOptions(
        @Nullable JsonNode when,
        boolean isTemplate,
        @Nullable Duration timeout,
        RetryRules rules) {
    /** The settings of a job that states none. */
    public static final JobOptions NONE = new JobOptions(null, false, null, RetryRules.NONE);

    public boolean isNone() {
        return equals(NONE);
    }

    /** The same for an input whose strings are templates. */
    public JobOptions withTemplate() {
        return new JobOptions(when, true, timeout, rules);
    }

    /** The form that the store keeps. */
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        if (when != null) {
            json.set("when", when);
        }
        if (isTemplate) {
            json.put("template", true);
        }
        if (timeout != null) {
            json.put("timeout_ms", timeout.toMillis());
        }
        rules.addTo(json);
        return json;
    }

    /** Reads back what {@link #toJson} wrote; null stands for no settings. */
    public static JobOptions of(@Nullable JsonNode json) {
        return json == null
                ? NONE
                : new JobOptions(
                        json.get("when"),
                        json.path("template").booleanValue(),
                        json.has("timeout_ms")
                                ? Duration.ofMillis(json.get("timeout_ms").longValue())
                                : null,
                        RetryRules.of(json));
    }

    /** The condition, null for none. */
    public @Nullable Condition condition() {
        return when == null ? null : Condition.of(when);
    }
}
