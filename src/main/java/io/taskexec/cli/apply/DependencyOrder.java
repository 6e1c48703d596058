package io.taskexec.cli.apply;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Sorts resources by dependency: kinds in the order of their constants, and an endpoint after the endpoints of its
 * callbacks. Endpoints in a cycle keep the order of their files, which works once they all exist.
 */
final class DependencyOrder {
    private final Map<String, DesiredResource> endpoints = new LinkedHashMap<>();
    private final Set<DesiredResource> ordered = new LinkedHashSet<>();
    private final Set<String> begun = new LinkedHashSet<>();

    private DependencyOrder() {}

    static List<DesiredResource> of(List<DesiredResource> declared) {
        var order = new DependencyOrder();
        var byKind = declared.stream()
                .sorted(Comparator.comparing(DesiredResource::kind))
                .toList();
        byKind.stream()
                .filter(one -> one.kind() == ResourceKind.ENDPOINT)
                .forEach(one -> order.endpoints.put(one.name(), one));
        byKind.forEach(order::add);
        return new ArrayList<>(order.ordered);
    }

    private void add(DesiredResource one) {
        if (one.kind() == ResourceKind.ENDPOINT) {
            if (!begun.add(one.name())) {
                return;
            }
            for (var field : List.of("on_success", "on_failure")) {
                var needed = endpoints.get(one.fields().path(field).asText());
                if (needed != null) {
                    add(needed);
                }
            }
        }
        ordered.add(one);
    }
}
