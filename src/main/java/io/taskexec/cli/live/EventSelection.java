package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.client.ResourceName;
import io.taskexec.cli.client.ServerPath;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Selects events; an empty list selects all. */
record EventSelection(List<String> endpoints, List<String> jobs, List<String> executions, List<String> types) {
    private static final String TYPE_PREFIX = "io.taskexec.execution.";

    /** Accepts names and ids as {@code -o name} prints them. */
    EventSelection {
        endpoints = bare(endpoints, "endpoints");
        jobs = bare(jobs, "jobs");
        executions = bare(executions, "executions");
    }

    private static List<String> bare(List<String> names, String noun) {
        return names.stream().map(name -> ResourceName.bare(noun, name)).toList();
    }

    /** Returns the path with the selection as query. */
    String path() {
        var path = ServerPath.of("/events");
        for (var parameter : parameters().entrySet()) {
            if (!parameter.getValue().isEmpty()) {
                path = path.with(parameter.getKey(), String.join(",", parameter.getValue()));
            }
        }
        return path.toString();
    }

    boolean isEverything() {
        return parameters().values().stream().allMatch(List::isEmpty);
    }

    /** Applies the selection to events that were requested without a filter. */
    boolean matches(JsonNode event) {
        var data = event.path("data");
        return matches(endpoints, data.path("endpoint").asText())
                && matches(jobs, data.path("job_id").asText())
                && matches(executions, data.path("execution_id").asText())
                && matches(fullTypes(), event.path("type").asText());
    }

    private static boolean matches(List<String> wanted, String value) {
        return wanted.isEmpty() || wanted.contains(value);
    }

    private Map<String, List<String>> parameters() {
        var parameters = new LinkedHashMap<String, List<String>>();
        parameters.put("endpoint", endpoints);
        parameters.put("job_id", jobs);
        parameters.put("execution_id", executions);
        parameters.put("type", fullTypes());
        return parameters;
    }

    /** The last word of a type is enough, in any case. */
    private List<String> fullTypes() {
        return types.stream()
                .map(type -> type.toLowerCase(Locale.ROOT))
                .map(type -> type.contains(".") ? type : TYPE_PREFIX + type)
                .toList();
    }
}
