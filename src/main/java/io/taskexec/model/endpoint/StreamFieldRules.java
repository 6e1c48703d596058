package io.taskexec.model.endpoint;

import java.util.Locale;
import java.util.Set;

/** Which names a user may give to the fields of an entry, so that none of them can be taken for one of ours. */
public final class StreamFieldRules {
    private static final Set<String> RESERVED = Set.of("idempotency-key", "traceparent", "tracestate");
    private static final Set<String> RESERVED_BEGINNINGS = Set.of("taskexec-", "webhook-", "ce_");

    private StreamFieldRules() {}

    /** Whether a field of that name, in upper or lower case, is ours. */
    public static boolean isReserved(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        return RESERVED.contains(lower) || RESERVED_BEGINNINGS.stream().anyMatch(lower::startsWith);
    }
}
