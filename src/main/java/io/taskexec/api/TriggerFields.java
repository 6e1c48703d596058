package io.taskexec.api;

import io.taskexec.api.JobResource.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which fields only some triggers have: who gives another one is told which of the two goes with what. */
final class TriggerFields {
    private static final List<Kind> SCHEDULED = List.of(Kind.CRON, Kind.INTERVAL);
    private static final Map<String, List<Kind>> TRIGGERS = triggers();

    private TriggerFields() {}

    private static Map<String, List<Kind>> triggers() {
        var triggers = new LinkedHashMap<String, List<Kind>>();
        List.of("run_at", "delay").forEach(field -> triggers.put(field, List.of(Kind.DELAYED)));
        List.of("cron", "timezone", "dst").forEach(field -> triggers.put(field, List.of(Kind.CRON)));
        triggers.put("every", List.of(Kind.INTERVAL));
        List.of("starts_at", "ends_at", "max_fires", "catch_up", "overlap", "jitter")
                .forEach(field -> triggers.put(field, SCHEDULED));
        return triggers;
    }

    /** Adds a violation for each field that does not go with {@code trigger}. */
    static void check(Fields fields, Kind trigger) {
        TRIGGERS.forEach((field, triggers) -> {
            if (!triggers.contains(trigger) && fields.has(field)) {
                fields.violation(
                        field, "is only for %s; %s takes %s".formatted(words(triggers), trigger, times(trigger)));
            }
        });
    }

    /** The trigger that one of the given fields goes with alone, as the end of a sentence; empty when none does. */
    static String hint(Fields fields) {
        return TRIGGERS.entrySet().stream()
                .filter(entry -> entry.getValue().size() == 1 && fields.has(entry.getKey()))
                .findFirst()
                .map(entry -> "; '" + entry.getKey() + "' goes with "
                        + Choice.word(entry.getValue().getFirst()))
                .orElse("");
    }

    private static String words(List<Kind> triggers) {
        return (triggers.size() == 1 ? "the trigger " : "the triggers ")
                + Choice.list(triggers.stream().map(Choice::word).toList());
    }

    private static String times(Kind trigger) {
        return switch (trigger) {
            case IMMEDIATE -> "no time";
            case DELAYED -> "'run_at' or 'delay'";
            case CRON -> "'cron' and 'timezone'";
            case INTERVAL -> "'every'";
        };
    }
}
