package io.taskexec.model.endpoint;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the headers that a user adds to a Kafka record. Values are never repeated in the answers, since they may be
 * secret.
 */
public final class KafkaHeaderRules {
    /** The most headers of one record. */
    public static final int MAX_COUNT = 64;

    /** Ours, and those that tracing has. */
    private static final Set<String> RESERVED = Set.of("idempotency-key", "traceparent", "tracestate");

    /** Ours, and those that envelopes of CloudEvents and signatures have. */
    private static final Set<String> RESERVED_PREFIXES = Set.of("taskexec-", "ce_", "webhook-");

    private KafkaHeaderRules() {}

    /** Returns the fault of {@code headers}, as the end of a sentence that begins with them; null when nothing is. */
    public static @Nullable String violation(Map<String, String> headers) {
        if (headers.size() > MAX_COUNT) {
            return "must be at most " + MAX_COUNT;
        }
        for (var header : headers.entrySet()) {
            var name = header.getKey();
            if (name.isEmpty() || name.length() > HeaderRules.MAX_NAME_LENGTH) {
                return "must have names of 1 to " + HeaderRules.MAX_NAME_LENGTH + " characters";
            }
            if (isReserved(name.toLowerCase(Locale.ROOT))) {
                return "must not have the reserved name " + name;
            }
            if (header.getValue().length() > HeaderRules.MAX_VALUE_LENGTH) {
                return "must have values of at most " + HeaderRules.MAX_VALUE_LENGTH + " characters";
            }
        }
        return null;
    }

    private static boolean isReserved(String name) {
        return RESERVED.contains(name) || RESERVED_PREFIXES.stream().anyMatch(name::startsWith);
    }
}
