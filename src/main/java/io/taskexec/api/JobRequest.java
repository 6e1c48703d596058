package io.taskexec.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.store.Lanes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is asked for.
 *
 * @param runAt of a DELAYED job that names a time
 * @param delay of a DELAYED job that names a duration
 */
record JobRequest(
        String endpoint,
        Kind trigger,
        String idempotencyKey,
        @Nullable Instant runAt,
        @Nullable Duration delay,
        int priority,
        @Nullable JsonNode input) {
    private static final int MAX_KEY = 255;
    private static final Duration MAX_DELAY = Duration.ofDays(3660);

    /** The triggers of a one-shot job. */
    enum Kind {
        IMMEDIATE,
        DELAYED
    }

    /** @param headerKey the value of an {@code Idempotency-Key} header, which may stand for the field */
    static JobRequest read(Fields fields, @Nullable String headerKey) {
        var request = new JobRequest(
                fields.name("endpoint"),
                kind(fields),
                key(fields, headerKey),
                fields.optionalInstant("run_at"),
                fields.optionalDuration("delay"),
                fields.integer("priority", Lanes.DEFAULT_PRIORITY, 0, Lanes.PRIORITIES - 1),
                fields.optionalTree("input"));
        request.checkTime(fields);
        fields.check();
        return request;
    }

    private static Kind kind(Fields fields) {
        var trigger = fields.optionalTree("trigger");
        if (trigger == null) {
            fields.violation("trigger", "is required");
        } else if (trigger.asText().equals("CRON")) {
            fields.violation("trigger", "must be IMMEDIATE or DELAYED: CRON is not supported by this version");
            return Kind.IMMEDIATE;
        }
        return fields.choice("trigger", Kind.class, Kind.IMMEDIATE);
    }

    private static String key(Fields fields, @Nullable String header) {
        var field = fields.optionalText("idempotency_key", MAX_KEY);
        if (header == null || header.isEmpty()) {
            return field == null ? fields.text("idempotency_key", MAX_KEY) : field;
        }
        if (header.length() > MAX_KEY || (field != null && !field.equals(header))) {
            fields.violation("idempotency_key", "must equal the Idempotency-Key header, of at most 255 characters");
        }
        return header;
    }

    private void checkTime(Fields fields) {
        // Given, whether or not it could be read: what is malformed is not missing as well.
        var hasRunAt = fields.optionalTree("run_at") != null;
        var hasDelay = fields.optionalTree("delay") != null;
        if (trigger == Kind.IMMEDIATE && (hasRunAt || hasDelay)) {
            fields.violation(hasRunAt ? "run_at" : "delay", "is only for the trigger DELAYED");
        } else if (trigger == Kind.DELAYED && hasRunAt == hasDelay) {
            fields.violation("run_at", "or 'delay', exactly one of them, is required for the trigger DELAYED");
        }
        var latest = Instant.now().plus(MAX_DELAY);
        if ((runAt != null && runAt.isAfter(latest)) || (delay != null && delay.compareTo(MAX_DELAY) > 0)) {
            fields.violation(runAt != null ? "run_at" : "delay", "must be within ten years from now");
        }
    }

    Duration delayOrNone() {
        return delay == null ? Duration.ZERO : delay;
    }

    /** Equal for equal requests: half of a SHA-256 over everything but the key. */
    UUID fingerprint() {
        var text = String.join(
                "\n",
                endpoint,
                trigger.name(),
                String.valueOf(runAt),
                String.valueOf(delay),
                "" + priority,
                inputText());
        try {
            var hash =
                    ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
            return new UUID(hash.getLong(), hash.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private String inputText() {
        var text = Json.text(input);
        return text == null ? "" : text;
    }
}
