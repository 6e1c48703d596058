package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A graph of jobs that depend on each other.
 *
 * @param deadline from the start of a run on; no attempt of its jobs begins later
 * @param jobs by their names; they form no circle
 */
public record WorkflowSpec(
        FailurePolicy failurePolicy, @Nullable Duration deadline, Map<String, WorkflowJob> jobs)
        implements EndpointSpec {
    /** Jobs of one workflow. */
    public static final int MOST_JOBS = 1000;

    /** The name of the endpoint of workflows that have no definition. It is not one that can be registered. */
    public static final String INLINE = "_workflow";

    public WorkflowSpec {
        jobs = Collections.unmodifiableMap(new LinkedHashMap<>(jobs));
    }

    @Override
    public EndpointType type() {
        return EndpointType.WORKFLOW;
    }

    @Override
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        if (failurePolicy != FailurePolicy.CONTINUE) {
            json.put("failure_policy", failurePolicy.word());
        }
        if (deadline != null) {
            json.put("deadline", deadline.toString());
        }
        var all = json.putObject("jobs");
        jobs.forEach((name, job) -> all.set(name, job.toJson()));
        return json;
    }

    /** Reads back what {@link #toJson} wrote. */
    public static WorkflowSpec of(JsonNode json) {
        var jobs = new LinkedHashMap<String, WorkflowJob>();
        json.path("jobs").properties().forEach(entry -> jobs.put(entry.getKey(), WorkflowJob.of(entry.getValue())));
        return new WorkflowSpec(
                FailurePolicy.valueOf(
                        json.path("failure_policy").asText("continue").toUpperCase(Locale.ROOT)),
                json.has("deadline") ? Duration.parse(json.get("deadline").asText()) : null,
                jobs);
    }

    /** The names of the jobs that depend on each job. */
    public Map<String, List<String>> children() {
        var children = new HashMap<String, List<String>>();
        jobs.keySet().forEach(name -> children.put(name, new ArrayList<>()));
        jobs.forEach((name, job) -> job.dependsOn()
                .forEach(parent -> Objects.requireNonNull(children.get(parent)).add(name)));
        return children;
    }

    /** These jobs and all that depend on them, directly or not. */
    public Set<String> withDescendants(Collection<String> names) {
        var children = children();
        var found = new LinkedHashSet<>(names);
        var next = new ArrayDeque<>(names);
        while (!next.isEmpty()) {
            Objects.requireNonNull(children.get(next.remove())).stream()
                    .filter(found::add)
                    .forEach(next::add);
        }
        return found;
    }

    /**
     * The jobs whose ends mean the end of all, unless one that waits is ended from outside: those without children, and
     * those of which each child may be decided before they have ended.
     */
    public Set<String> last() {
        var last = new HashSet<>(jobs.keySet());
        jobs.values().forEach(job -> {
            if (job.dependsOn().size() == 1 || job.rule().waitsForAll()) {
                job.dependsOn().forEach(last::remove);
            }
        });
        return last;
    }
}
