package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.Durations;
import io.taskexec.cli.InputText;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.model.NearestName;
import io.taskexec.model.endpoint.EndpointType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks rules that a definition cannot express, and converts fields that only files have to those of the API. */
record ManifestRules(ResourceKind kind, String name, ObjectNode fields, Map<String, String> environment) {
    private static final List<String> TYPES =
            Arrays.stream(EndpointType.values()).map(Enum::name).toList();
    private static final List<String> TRIGGERS = List.of("CRON", "INTERVAL");

    void check(Problems problems) {
        switch (kind) {
            case PAYLOAD_SPEC -> {}
            case CONFIG -> {
                if (AppliedSet.isConfig(name)) {
                    problems.add("/name", "is reserved for the sets of apply");
                }
            }
            case QUEUE -> {
                isoDurations(fields, "aging", "ttl");
                isoPeriod(fields);
            }
            case SECRET -> readValue(problems);
            case ENDPOINT -> {
                if (fields.has("type")) {
                    checkWord("type", TYPES, problems);
                }
                isoPeriod(fields.path("flow"));
                if (fields.get("spec") instanceof ObjectNode spec) {
                    isoGraph(spec);
                }
            }
            case WORKFLOW_DEFINITION -> isoGraph(fields);
            case JOB -> schedule(problems);
        }
    }

    private void checkWord(String field, List<String> words, Problems problems) {
        var word = fields.path(field).asText();
        if (!words.contains(word)) {
            problems.add("/" + field, "must be one of " + String.join(", ", words) + NearestName.hint(word, words, ""));
        }
    }

    private void readValue(Problems problems) {
        if (fields.size() != 1) {
            problems.add("", "a Secret needs exactly one of value, value_env and value_file");
            return;
        }
        var variable = fields.path("value_env").textValue();
        var file = fields.path("value_file").textValue();
        try {
            var value = variable != null
                    ? environment.get(variable)
                    : file != null
                            ? InputText.read(file).replaceFirst("\\r?\\n\\z", "")
                            : fields.path("value").textValue();
            if (value == null || value.isEmpty()) {
                problems.add(variable != null ? "/value_env" : "", emptiness(variable));
                return;
            }
            fields.remove(List.of("value_env", "value_file"));
            fields.put("value", value);
        } catch (MalformedTextException e) {
            problems.add("/value_file", "is not readable: " + e.getMessage());
        }
    }

    private static String emptiness(@Nullable String variable) {
        return variable == null ? "the value is empty" : "the variable " + variable + " is not set";
    }

    /** A job has no name in the API, so a tag has it. */
    private void schedule(Problems problems) {
        var trigger = fields.path("trigger").asText("");
        if (!trigger.isEmpty()) {
            checkWord("trigger", TRIGGERS, problems);
        }
        if (fields.hasNonNull("cron") == fields.hasNonNull("every")
                || (TRIGGERS.contains(trigger) && !trigger.equals(fields.hasNonNull("cron") ? "CRON" : "INTERVAL"))) {
            problems.add(
                    "",
                    "a Job needs either cron with a timezone or every, since only schedules can be applied;"
                            + " 'taskexec jobs create' makes jobs that run once");
            return;
        }
        if (fields.hasNonNull("cron") && !fields.hasNonNull("timezone")) {
            problems.add("", "'timezone' is required with cron");
        }
        for (var tag : fields.path("tags")) {
            if (tag.asText().startsWith(JobPlanner.TAG_PREFIX)) {
                problems.add(
                        "/tags", "must not begin with " + JobPlanner.TAG_PREFIX + ", which is how apply finds jobs");
            }
        }
        fields.put("trigger", fields.hasNonNull("cron") ? "CRON" : "INTERVAL");
        var tags = fields.get("tags") instanceof ArrayNode given ? given : fields.putArray("tags");
        tags.add(JobPlanner.TAG_PREFIX + name);
        isoDurations(fields, "every", "jitter", "ttl");
        if (fields.get("catch_up") instanceof ObjectNode catchUp) {
            isoDurations(catchUp, "window");
        }
    }

    /** Other specs have none of these fields. */
    private static void isoGraph(ObjectNode graph) {
        isoDurations(graph, "deadline");
        for (var job : graph.path("jobs")) {
            if (job instanceof ObjectNode one) {
                isoDurations(one, "delay", "ttl");
            }
        }
    }

    private static void isoPeriod(JsonNode limits) {
        if (limits.path("rate") instanceof ObjectNode rate) {
            isoDurations(rate, "per");
        }
    }

    private static void isoDurations(ObjectNode object, String... names) {
        for (var name : names) {
            if (object.path(name).isTextual()) {
                object.put(name, Durations.iso(object.path(name).textValue()));
            }
        }
    }
}
