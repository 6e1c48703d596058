package io.taskexec.job;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.NearestName;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.dependency.TriggerRule;
import io.taskexec.model.endpoint.FailurePolicy;
import io.taskexec.model.endpoint.WorkflowFields;
import io.taskexec.model.endpoint.WorkflowJob;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.job.JobFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Tags;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the graph of a workflow; throws an {@link ApiException} that says what is wrong with it. */
public final class GraphFields {
    private static final String JOBS = "jobs";
    private static final String DEPENDS_ON = JobFields.DEPENDS_ON;

    private GraphFields() {}

    /** Reads the fields {@code jobs}, {@code failure_policy} and {@code deadline}. */
    public static WorkflowSpec read(Fields fields) {
        var policy = fields.choice("failure_policy", FailurePolicy.class);
        var deadline = fields.optionalDuration("deadline", Duration.ofDays(3660));
        if (deadline != null && deadline.isZero()) {
            fields.violation("deadline", "must be positive");
        }
        var given = fields.optionalTree(JOBS);
        if (!(given instanceof ObjectNode object) || object.isEmpty()) {
            fields.violation(JOBS, "must be an object of names and jobs, at least one");
            fields.check();
            throw new IllegalStateException("a violation has been ignored");
        }
        fields.check();
        checkNames(fields, object);
        var jobs = new LinkedHashMap<String, WorkflowJob>();
        object.properties()
                .forEach(entry -> jobs.put(
                        entry.getKey(), job(entry.getKey(), place(fields, entry.getKey(), entry.getValue()), object)));
        var cycle = cycle(jobs);
        if (!cycle.isEmpty()) {
            throw DependencyFields.refusal(
                    ErrorCode.WORKFLOW_CYCLE,
                    "Jobs of the workflow depend on each other in a circle: " + String.join(" -> ", cycle) + ".",
                    fields.pointer(JOBS) + "/" + cycle.getFirst() + "/" + DEPENDS_ON,
                    "must not lead back to the job");
        }
        return new WorkflowSpec(policy, deadline, jobs);
    }

    private static Fields place(Fields fields, String name, JsonNode job) {
        return Fields.of(job, fields.pointer(JOBS) + "/" + Fields.escaped(name), WorkflowFields.JOB);
    }

    private static void checkNames(Fields fields, ObjectNode jobs) {
        if (jobs.size() > WorkflowSpec.MOST_JOBS) {
            throw DependencyFields.refusal(
                    ErrorCode.TOO_MANY_JOBS,
                    "A workflow has %d jobs at most.".formatted(WorkflowSpec.MOST_JOBS),
                    fields.pointer(JOBS),
                    "has %d jobs".formatted(jobs.size()));
        }
        jobs.fieldNames().forEachRemaining(name -> {
            if (!WorkflowFields.JOB_NAME.matches(name)) {
                fields.violation(JOBS, name, "must have a name of 1 to 63 letters, digits, hyphens and underscores");
            }
        });
        fields.check();
    }

    private static WorkflowJob job(String name, Fields fields, ObjectNode all) {
        var input = fields.optionalTree("input");
        var parents = parents(name, fields, all);
        var given = fields.optionalChoice("trigger_rule", TriggerRule.class);
        var rule = given == null ? TriggerRule.ALL_SUCCESS : given;
        var delay = fields.optionalDuration("delay", Duration.ofDays(3660));
        var options = OptionFields.ofWorkflow(fields, Set.copyOf(parents), input);
        var job = new WorkflowJob(
                fields.name("endpoint"),
                input,
                parents,
                rule,
                options.when(),
                delay == null ? Duration.ZERO : delay,
                ExpiryFields.ttl(fields),
                fields.optionalName("queue"),
                fields.integer("priority"),
                options.timeout(),
                options.rules(),
                Tags.read(fields));
        fields.check();
        if (parents.isEmpty()) {
            DependencyFields.checkPossible(fields, rule);
        }
        return job;
    }

    private static List<String> parents(String name, Fields fields, ObjectNode all) {
        var given = fields.optionalTree(DEPENDS_ON);
        if (given == null || (given.isArray() && given.isEmpty())) {
            return List.of();
        }
        var pointer = fields.pointer(DEPENDS_ON);
        if (given.size() > Dependencies.MOST_PARENTS) {
            throw DependencyFields.tooMany(pointer);
        }
        var parents = new TreeSet<String>();
        for (var parent : named(fields)) {
            if (!all.has(parent)) {
                throw DependencyFields.refusal(
                        ErrorCode.DEPENDENCY_NOT_FOUND,
                        Fields.sentence("'%s' is no job of the workflow%s".formatted(parent, hint(parent, all))),
                        pointer,
                        "must have names of jobs of the workflow");
            }
            if (parent.equals(name)) {
                throw DependencyFields.refusal(
                        ErrorCode.WORKFLOW_CYCLE,
                        "The job depends on itself: %s -> %s.".formatted(name, name),
                        pointer,
                        "must not name the job itself");
            }
            if (!parents.add(parent)) {
                throw DependencyFields.twice(parent, pointer);
            }
        }
        return List.copyOf(parents);
    }

    private static List<String> named(Fields fields) {
        var names = new ArrayList<String>();
        for (var element : fields.array(DEPENDS_ON)) {
            if (!element.isTextual()) {
                var place = Integer.toString(names.size());
                fields.violation(DEPENDS_ON, place, "must be the name of a job of the workflow");
            }
            names.add(element.asText());
        }
        fields.check();
        return names;
    }

    private static String hint(String name, ObjectNode jobs) {
        return NearestName.hint(
                name, jobs.properties().stream().map(Map.Entry::getKey).toList(), "");
    }

    /** The names on a way from a job back to itself, along its parents; empty when there is none. */
    private static List<String> cycle(Map<String, WorkflowJob> jobs) {
        var open = new HashMap<String, Integer>();
        var children = new HashMap<String, List<String>>();
        jobs.forEach((name, job) -> {
            open.put(name, job.dependsOn().size());
            job.dependsOn()
                    .forEach(parent -> children.computeIfAbsent(parent, _ -> new ArrayList<>())
                            .add(name));
        });
        var free = new ArrayDeque<String>();
        open.forEach((name, count) -> {
            if (count == 0) {
                free.add(name);
            }
        });
        while (!free.isEmpty()) {
            var done = free.remove();
            open.remove(done);
            for (var child : children.getOrDefault(done, List.of())) {
                if (open.merge(child, -1, Integer::sum) == 0) {
                    free.add(child);
                }
            }
        }
        return open.isEmpty() ? List.of() : walk(jobs, open.keySet());
    }

    /** Each of these has a parent among them, so that a walk along the parents comes to one twice. */
    private static List<String> walk(Map<String, WorkflowJob> jobs, Set<String> stuck) {
        var path = new ArrayList<String>();
        @Nullable
        String next = jobs.keySet().stream().filter(stuck::contains).findFirst().orElse(null);
        while (next != null && !path.contains(next)) {
            path.add(next);
            next = requireNonNull(jobs.get(next)).dependsOn().stream()
                    .filter(stuck::contains)
                    .findFirst()
                    .orElse(null);
        }
        var circle = new ArrayList<>(path.subList(path.indexOf(next), path.size()));
        circle.add(requireNonNull(next));
        return circle;
    }
}
