package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.apply.DesiredResource.ResourceId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Sorts resources by dependency: kinds in the order of their constants, and an endpoint or a workflow after those of
 * its callbacks and of its jobs. Those in a cycle keep the order of their files, which works once they all exist.
 */
final class DependencyOrder {
    private final Map<String, DesiredResource> endpoints = new LinkedHashMap<>();
    private final Set<DesiredResource> ordered = new LinkedHashSet<>();
    private final Set<ResourceId> begun = new LinkedHashSet<>();

    private DependencyOrder() {}

    static List<DesiredResource> of(List<DesiredResource> declared) {
        var order = new DependencyOrder();
        var byKind = declared.stream()
                .sorted(Comparator.comparing(DesiredResource::kind))
                .toList();
        byKind.stream()
                .filter(one -> one.kind().isEndpoint())
                .forEach(one -> order.endpoints.putIfAbsent(one.name(), one));
        byKind.forEach(order::add);
        return new ArrayList<>(order.ordered);
    }

    private void add(DesiredResource one) {
        if (one.kind().isEndpoint()) {
            if (!begun.add(one.identity())) {
                return;
            }
            neededBy(one.fields()).forEach(name -> {
                var needed = endpoints.get(name);
                if (needed != null) {
                    add(needed);
                }
            });
        }
        ordered.add(one);
    }

    /** Returns the names of the endpoints that an endpoint, a workflow or a job names. */
    static List<String> neededBy(JsonNode fields) {
        var names = new ArrayList<String>();
        Stream.of("endpoint", "on_success", "on_failure")
                .forEach(field -> names.add(fields.path(field).asText("")));
        // A file has the jobs of a definition beside the callbacks, the API in the spec.
        Stream.of(fields.path("jobs"), fields.path("spec").path("jobs"))
                .forEach(jobs ->
                        jobs.forEach(job -> names.add(job.path("endpoint").asText(""))));
        names.removeIf(String::isEmpty);
        return names;
    }
}
