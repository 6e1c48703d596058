package io.taskexec.cli.graph;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.text.AnsiStyle;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The graph of a run as the API shows it. Jobs that differ in their names only share a line when they are many. */
public final class RunGraph {
    /** So many jobs alike have a line each. */
    private static final int MOST_LINES = 8;

    private final Map<String, JsonNode> jobs = new LinkedHashMap<>();
    private final Map<String, Set<String>> parents = new HashMap<>();
    private final Map<String, Set<String>> children = new HashMap<>();
    private final Set<String> critical;
    private final Instant now;

    /** Equal values mean that jobs are alike. */
    private record Likeness(Set<String> parents, Set<String> children, String status, String alone) {}

    private RunGraph(JsonNode run, Instant now) {
        run.path("jobs").properties().forEach(job -> jobs.put(job.getKey(), job.getValue()));
        this.critical = StreamSupport.stream(run.path("critical_path").spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.toSet());
        this.now = now;
        jobs.keySet().forEach(name -> {
            parents.put(name, new TreeSet<>());
            children.put(name, new TreeSet<>());
        });
        jobs.forEach((name, job) -> job.path("depends_on").forEach(parent -> join(parent.asText(), name)));
    }

    private void join(String parent, String child) {
        var below = children.get(parent);
        if (below != null && below.add(child)) {
            parents.getOrDefault(child, new HashSet<>()).add(parent);
        }
    }

    /** Returns the lines of the graph of a run. */
    public static List<String> lines(JsonNode run, Instant now, int width, AnsiStyle style) {
        return GraphDrawing.lines(nodes(run, now), width, style);
    }

    /** Returns the number of jobs in each status, in a sentence without an end. */
    public static String counts(JsonNode run) {
        var counts = new LinkedHashMap<String, Integer>();
        run.path("jobs").forEach(job -> counts.merge(job.path("status").asText(), 1, Integer::sum));
        return counts.entrySet().stream()
                .map(count -> count.getValue() + " " + count.getKey())
                .collect(Collectors.joining(", "));
    }

    static List<GraphNode> nodes(JsonNode run, Instant now) {
        return new RunGraph(run, now).nodes();
    }

    private List<GraphNode> nodes() {
        var groups = new LinkedHashMap<Likeness, List<String>>();
        jobs.keySet()
                .forEach(name -> groups.computeIfAbsent(likeness(name, ""), _ -> new ArrayList<>())
                        .add(name));
        var shown = new LinkedHashMap<Likeness, List<String>>();
        groups.forEach((likeness, names) -> {
            if (names.size() > MOST_LINES) {
                shown.put(likeness, names);
            } else {
                names.forEach(name -> shown.put(likeness(name, name), List.of(name)));
            }
        });
        var ids = new HashMap<String, String>();
        shown.values().forEach(names -> names.forEach(name -> ids.put(name, names.getFirst())));
        return shown.entrySet().stream()
                .map(group -> node(
                        group.getValue(),
                        group.getKey().parents().stream()
                                .map(parent -> ids.getOrDefault(parent, parent))
                                .distinct()
                                .toList()))
                .toList();
    }

    private Likeness likeness(String name, String alone) {
        return new Likeness(
                parents.getOrDefault(name, Set.of()),
                children.getOrDefault(name, Set.of()),
                job(name).path("status").asText(),
                alone);
    }

    private JsonNode job(String name) {
        return jobs.getOrDefault(name, MissingNode.getInstance());
    }

    private GraphNode node(List<String> names, List<String> above) {
        var first = names.getFirst();
        var longest = names.stream().mapToLong(name -> millis(job(name))).max().orElse(-1);
        var span = longest < 0 ? "" : ResourceColumn.millis(longest);
        var isGroup = names.size() > 1;
        return new GraphNode(
                first,
                above,
                isGroup ? "%s … %s (%d jobs)".formatted(first, names.getLast(), names.size()) : first,
                job(first).path("status").asText(),
                isGroup && !span.isEmpty() ? "up to " + span : span,
                names.stream().anyMatch(critical::contains),
                message(job(first).path("error")));
    }

    /** Returns the time that a job has taken so far; -1 before its start. */
    private long millis(JsonNode job) {
        if (job.path("duration_ms").isNumber()) {
            return job.path("duration_ms").asLong();
        }
        try {
            var start = OffsetDateTime.parse(job.path("started_at").asText("")).toInstant();
            return job.hasNonNull("completed_at")
                    ? -1
                    : Math.max(0, Duration.between(start, now).toMillis());
        } catch (DateTimeParseException _) {
            return -1;
        }
    }

    private static String message(JsonNode error) {
        return error.path("message").asText(error.path("type").asText(""));
    }
}
