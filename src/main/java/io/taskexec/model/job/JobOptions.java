package io.taskexec.model.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.dependency.Condition;
import io.taskexec.model.endpoint.RetryRules;
import io.taskexec.model.endpoint.WorkflowSpec;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a job that few jobs have.
 *
 * @param when a condition as it was given, see {@link Condition}; null for none
 * @param isTemplate whether the strings of the input are templates
 * @param timeout of each call; null for that of the endpoint
 * @param rules which failures are retried; none for those of the endpoint
 * @param run of a workflow that it belongs to; null for none
 * @param workflow that it runs, where its endpoint has none; null for none
 * @param announcement of a question; null for none
 * @param target that it has in place of an endpoint; null for none
 */
public record JobOptions(
        @Nullable JsonNode when,
        boolean isTemplate,
        @Nullable Duration timeout,
        RetryRules rules,
        @Nullable Run run,
        @Nullable Workflow workflow,
        @Nullable Announcement announcement,
        @Nullable Target target) {
    /** The settings of a job that states none. */
    public static final JobOptions NONE = new JobOptions(null, false, null, RetryRules.NONE);

    /**
     * The run of a workflow.
     *
     * @param id of its execution
     * @param depth runs around it, itself included
     * @param isFailFast whether a failure ends it
     */
    public record Run(UUID id, int depth, boolean isFailFast) {}

    /**
     * A workflow without a definition.
     *
     * @param name that the user gave it
     * @param onSuccess the endpoint that gets the outputs of its runs
     * @param onFailure the endpoint that gets their errors
     */
    public record Workflow(
            String name,
            WorkflowSpec spec,
            @Nullable String onSuccess,
            @Nullable String onFailure) {}

    /**
     * The question that a job announces. Its input gets the address when it is delivered, so that the address is not
     * stored.
     *
     * @param id of the execution that asks
     */
    public record Announcement(UUID id, int attempt) {}

    /** The settings of a job outside of workflows. */
    public JobOptions(@Nullable JsonNode when, boolean isTemplate, @Nullable Duration timeout, RetryRules rules) {
        this(when, isTemplate, timeout, rules, null, null, null, null);
    }

    public boolean isNone() {
        return equals(NONE);
    }

    /** The same for a job that runs this workflow. */
    public JobOptions running(@Nullable Workflow inline) {
        return new JobOptions(when, isTemplate, timeout, rules, run, inline, announcement, target);
    }

    /** The same for a job that announces this question. */
    public JobOptions announcing(Announcement question) {
        return new JobOptions(when, isTemplate, timeout, rules, run, workflow, question, target);
    }

    /** The same for a job with this target. */
    public JobOptions to(@Nullable Target other) {
        return other == null && target == null
                ? this
                : new JobOptions(when, isTemplate, timeout, rules, run, workflow, announcement, other);
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
        if (run != null) {
            json.putObject("run")
                    .put("id", run.id().toString())
                    .put("depth", run.depth())
                    .put("fail_fast", run.isFailFast());
        }
        if (workflow != null) {
            json.putObject("workflow")
                    .put("name", workflow.name())
                    .put("on_success", workflow.onSuccess())
                    .put("on_failure", workflow.onFailure())
                    .set("spec", workflow.spec().toJson());
        }
        if (announcement != null) {
            json.putObject("announcement")
                    .put("id", announcement.id().toString())
                    .put("attempt", announcement.attempt());
        }
        if (target != null) {
            json.set("target", target.toJson());
        }
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
                        RetryRules.of(json),
                        json.has("run") ? run(json.get("run")) : null,
                        json.has("workflow") ? workflow(json.get("workflow")) : null,
                        json.has("announcement") ? announcement(json.get("announcement")) : null,
                        json.has("target") ? Target.of(json.get("target")) : null);
    }

    private static Run run(JsonNode json) {
        return new Run(
                UUID.fromString(json.path("id").asText()),
                json.path("depth").intValue(),
                json.path("fail_fast").booleanValue());
    }

    private static Announcement announcement(JsonNode json) {
        return new Announcement(
                UUID.fromString(json.path("id").asText()), json.path("attempt").intValue());
    }

    private static Workflow workflow(JsonNode json) {
        return new Workflow(
                json.path("name").asText(),
                WorkflowSpec.of(json.path("spec")),
                json.path("on_success").textValue(),
                json.path("on_failure").textValue());
    }

    /** The condition, null for none. */
    public @Nullable Condition condition() {
        return when == null ? null : Condition.of(when);
    }
}
