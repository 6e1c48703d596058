package io.taskexec.model.endpoint;

import java.util.Locale;
import java.util.Set;

/** Checks the names of user fields of a Redis stream entry against the reserved ones. */
public final class StreamFieldRules {
    private static final Set<String> RESERVED = Set.of("idempotency-key", "traceparent", "tracestate");
    private static final Set<String> RESERVED_BEGINNINGS = Set.of("taskexec-", "webhook-", "ce_");

    private StreamFieldRules() {}

    /** Whether a field of that name, in upper or lower case, is reserved. */
    public static boolean isReserved(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        return RESERVED.contains(lower) || RESERVED_BEGINNINGS.stream().anyMatch(lower::startsWith);
    }
}
