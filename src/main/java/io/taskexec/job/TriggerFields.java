package io.taskexec.job;

import static io.taskexec.model.job.JobFields.DEPENDS_ON;
import static io.taskexec.model.job.JobFields.REF;
import static java.util.Objects.requireNonNull;

import io.taskexec.model.job.TriggerKind;
import io.taskexec.request.Choice;
import io.taskexec.request.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Finds the trigger of a job, and refuses fields that do not belong to it. */
final class TriggerFields {
    private static final List<TriggerKind> SCHEDULED = List.of(TriggerKind.CRON, TriggerKind.INTERVAL);
    private static final List<TriggerKind> ONCE = List.of(TriggerKind.IMMEDIATE, TriggerKind.DELAYED);
    private static final Map<String, List<TriggerKind>> TRIGGERS = triggers();

    private TriggerFields() {}

    private static Map<String, List<TriggerKind>> triggers() {
        var triggers = new LinkedHashMap<String, List<TriggerKind>>();
        List.of("run_at", "delay").forEach(field -> triggers.put(field, List.of(TriggerKind.DELAYED)));
        List.of("cron", "timezone", "dst").forEach(field -> triggers.put(field, List.of(TriggerKind.CRON)));
        triggers.put("every", List.of(TriggerKind.INTERVAL));
        List.of("starts_at", "ends_at", "max_fires", "catch_up", "overlap", "jitter")
                .forEach(field -> triggers.put(field, SCHEDULED));
        List.of("expires_at", "deadline", DEPENDS_ON, "trigger_rule", "when", REF, "on_conflict", "max_wait")
                .forEach(field -> triggers.put(field, ONCE));
        return triggers;
    }

    /** The trigger that is given or, without one, that the other fields belong to. */
    static TriggerKind read(Fields fields) {
        if (fields.has("trigger")) {
            return fields.decisiveChoice("trigger", TriggerKind.class);
        }
        return Stream.of("cron", "every", "run_at", "delay")
                .filter(fields::has)
                .findFirst()
                .map(field -> requireNonNull(TRIGGERS.get(field)).getFirst())
                .orElse(TriggerKind.IMMEDIATE);
    }

    /** Whether a job with {@code trigger} can have a field. */
    static boolean isFor(String field, TriggerKind trigger) {
        var triggers = TRIGGERS.get(field);
        return triggers == null || triggers.contains(trigger);
    }

    /** Adds a violation for each field that does not go with {@code trigger}. */
    static void check(Fields fields, TriggerKind trigger) {
        TRIGGERS.forEach((field, triggers) -> {
            if (!isFor(field, trigger) && fields.has(field)) {
                fields.violation(
                        field,
                        "is only for %s; %s takes %s"
                                .formatted(words(triggers), trigger, instead(field, triggers, trigger)));
            }
        });
    }

    private static String words(List<TriggerKind> triggers) {
        return (triggers.size() == 1 ? "the trigger " : "the triggers ")
                + Choice.list(triggers.stream().map(Choice::word).toList());
    }

    private static String instead(String field, List<TriggerKind> triggers, TriggerKind trigger) {
        if (!triggers.equals(ONCE)) {
            return times(trigger);
        }
        return switch (field) {
            case DEPENDS_ON, "trigger_rule", "when" -> "no parents";
            case REF -> "no children";
            case "on_conflict", "max_wait" -> "none of them";
            default -> "'ttl'";
        };
    }

    private static String times(TriggerKind trigger) {
        return switch (trigger) {
            case IMMEDIATE -> "no time";
            case DELAYED -> "'run_at' or 'delay'";
            case CRON -> "'cron' and 'timezone'";
            case INTERVAL -> "'every'";
        };
    }
}
