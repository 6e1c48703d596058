package io.taskexec.e2e;

import java.util.Collections;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Rows of the contract for jobs and workflows that depend on others in ways that are refused. */
final class RefusedDependencies {
    private RefusedDependencies() {}

    /**
     * Jobs that cannot depend on others in the way that they ask for.
     *
     * @param schedule the id of one
     */
    static Stream<ContractRow> ofJobs(String schedule) {
        var parent = "\"job_%s\"".formatted("0".repeat(32));
        return Map.of(
                        "DEPENDENCY_NOT_FOUND", "\"depends_on\": [%s]".formatted(parent),
                        "DEPENDENCY_IS_SCHEDULE", "\"depends_on\": [\"" + schedule + "\"]",
                        "DUPLICATE_DEPENDENCY", "\"depends_on\": [%1$s, %1$s]".formatted(parent),
                        "TOO_MANY_DEPENDENCIES", "\"depends_on\": [%s]".formatted(many(parent)),
                        "TRIGGER_RULE_IMPOSSIBLE", "\"trigger_rule\": \"one_success\"",
                        "UNKNOWN_PARENT", "\"depends_on\": [%s], \"input\": \"{{parents.x}}\"".formatted(parent),
                        "INVALID_CONDITION", "\"when\": 1")
                .entrySet()
                .stream()
                .map(wanted -> ContractRow.of(
                        "POST /jobs",
                        "",
                        "{\"endpoint\": \"target\", \"idempotency_key\": \"other\", " + wanted.getValue() + "}",
                        "422 " + wanted.getKey()));
    }

    private static String many(String text) {
        return String.join(", ", Collections.nCopies(101, text));
    }

    /** Graphs that are refused, by each route that takes one. */
    static Stream<ContractRow> ofWorkflows() {
        var routes = Map.of(
                "POST /endpoints", "{\"name\": \"graph\", \"type\": \"WORKFLOW\", \"spec\": {\"jobs\": %s}}",
                "PUT /endpoints/{name}", "{\"type\": \"WORKFLOW\", \"spec\": {\"jobs\": %s}}",
                "PUT /workflow-definitions/{name}", "{\"jobs\": %s}",
                "POST /workflows", "{\"idempotency_key\": \"other\", \"jobs\": %s}");
        var jobs = IntStream.rangeClosed(0, 1_000)
                .mapToObj("\"j%d\": {}"::formatted)
                .collect(Collectors.joining(", ", "{", "}"));
        var graphs = Map.ofEntries(
                Map.entry("404 ENDPOINT_NOT_FOUND", graph("\"endpoint\": \"none\"")),
                Map.entry("422 INVALID_QUEUE_REF", graph("\"queue\": \"none\"")),
                Map.entry("422 INPUT_VALIDATION_FAILED", graph("\"endpoint\": \"checked\", \"input\": 1")),
                Map.entry("422 DEPENDENCY_NOT_FOUND", graph("\"depends_on\": [\"none\"]")),
                Map.entry("422 DUPLICATE_DEPENDENCY", graph("\"depends_on\": [\"b\", \"b\"]")),
                Map.entry("422 TOO_MANY_DEPENDENCIES", graph("\"depends_on\": [%s]".formatted(many("\"b\"")))),
                Map.entry("422 TRIGGER_RULE_IMPOSSIBLE", graph("\"trigger_rule\": \"one_success\"")),
                Map.entry("422 UNKNOWN_PARENT", graph("\"input\": \"{{parents.b}}\"")),
                Map.entry("422 INVALID_CONDITION", graph("\"when\": 1")),
                Map.entry("422 WORKFLOW_CYCLE", graph("\"depends_on\": [\"a\"]")),
                Map.entry("422 TOO_MANY_JOBS", jobs));
        return routes.entrySet().stream()
                .flatMap(route -> graphs.entrySet().stream()
                        .map(graph -> ContractRow.of(
                                route.getKey(),
                                route.getKey().endsWith("}") ? "flow" : "",
                                route.getValue().formatted(graph.getValue()),
                                graph.getKey())));
    }

    private static String graph(String fields) {
        var endpoint = fields.contains("endpoint") ? "" : "\"endpoint\": \"target\", ";
        return "{\"b\": {\"endpoint\": \"target\"}, \"a\": {" + endpoint + fields + "}}";
    }
}
