package io.taskexec.request;

import org.jspecify.annotations.Nullable;

/** The key of a request: a field of its body or an {@code Idempotency-Key} header, which must agree. */
public final class IdempotencyKey {
    private static final int MAX_LENGTH = 255;

    private IdempotencyKey() {}

    public static String required(Fields fields, @Nullable String header) {
        var key = optional(fields, header);
        return key.isEmpty() && !fields.has("idempotency_key") ? fields.text("idempotency_key") : key;
    }

    /** Empty when there is none. */
    public static String optional(Fields fields, @Nullable String header) {
        var field = fields.optionalText("idempotency_key");
        if (header == null || header.isEmpty()) {
            return field == null ? "" : field;
        }
        if (header.length() > MAX_LENGTH || (field != null && !field.equals(header))) {
            fields.violation("idempotency_key", "must equal the Idempotency-Key header, of at most 255 characters");
        } else if (header.chars().anyMatch(one -> one > 0x7e)) {
            // The framework takes its bytes for ISO 8859-1, most clients send UTF-8.
            fields.violation("idempotency_key", "must be ASCII as a header; the field of the body takes all text");
        }
        return header;
    }
}
