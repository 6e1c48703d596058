package io.taskexec.cli.apply;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts first what others need: kinds in the order of their constants, and an endpoint behind those that its results are
 * passed on to. Endpoints that need each other stay in the order of their files, which works once they are all there.
 */
final class DependencyOrder {
    private final Map<String, Declared> endpoints = new LinkedHashMap<>();
    private final Set<Declared> ordered = new LinkedHashSet<>();
    private final Set<String> begun = new LinkedHashSet<>();

    private DependencyOrder() {}

    static List<Declared> of(List<Declared> declared) {
        var order = new DependencyOrder();
        var byKind =
                declared.stream().sorted(Comparator.comparing(Declared::kind)).toList();
        byKind.stream().filter(one -> one.kind() == Kind.ENDPOINT).forEach(one -> order.endpoints.put(one.name(), one));
        byKind.forEach(order::add);
        return new ArrayList<>(order.ordered);
    }

    private void add(Declared one) {
        if (one.kind() == Kind.ENDPOINT) {
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
