package io.taskexec.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.Json;
import io.taskexec.model.TickId;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.InvalidScheduleException;
import io.taskexec.store.Lanes;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A CRON job as it is asked for.
 *
 * @param idempotencyKey empty for none
 * @param startsAt null for now
 */
record CronRequest(
        String endpoint,
        CronSchedule schedule,
        String idempotencyKey,
        @Nullable Instant startsAt,
        @Nullable Instant endsAt,
        int priority,
        Set<String> tags,
        @Nullable JsonNode input) {
    private static final int MAX_EXPRESSION = 255;
    private static final int MAX_ZONE = 64;

    /** @param headerKey the value of an {@code Idempotency-Key} header, which may stand for the field */
    static CronRequest read(Fields fields, @Nullable String headerKey) {
        return read(fields, fields.name("endpoint"), IdempotencyKey.optional(fields, headerKey));
    }

    /** Reads the next version of a job, whose endpoint stays. */
    static CronRequest readUpdate(Fields fields, String endpoint) {
        var repeated = fields.optionalName("endpoint");
        if (repeated != null && !repeated.equals(endpoint)) {
            fields.violation("endpoint", "must stay '" + endpoint + "', or be left out");
        }
        return read(fields, endpoint, "");
    }

    private static CronRequest read(Fields fields, String endpoint, String key) {
        var trigger = fields.optionalTree("trigger");
        if (trigger != null && !trigger.asText().equals("CRON")) {
            fields.violation("trigger", "must be CRON");
        }
        var expression = fields.text("cron", MAX_EXPRESSION);
        var timezone = fields.text("timezone", MAX_ZONE);
        var startsAt = fields.optionalInstant("starts_at");
        var endsAt = fields.optionalInstant("ends_at");
        if (startsAt != null && endsAt != null && !startsAt.isBefore(endsAt)) {
            fields.violation("ends_at", "must be after starts_at");
        }
        var priority = fields.integer("priority", Lanes.DEFAULT_PRIORITY, 0, Lanes.PRIORITIES - 1);
        var tags = Tags.read(fields);
        var input = fields.optionalTree("input");
        fields.check();
        return new CronRequest(endpoint, parse(expression, timezone), key, startsAt, endsAt, priority, tags, input);
    }

    private static CronSchedule parse(String expression, String timezone) {
        try {
            return CronSchedule.parse(expression, timezone);
        } catch (InvalidScheduleException e) {
            throw new ApiException(ErrorCode.INVALID_CRON, String.valueOf(e.getMessage()));
        }
    }

    /**
     * The first tick after {@code now} and not before the start; null when the end comes first.
     *
     * @param rootId the first version of the schedule
     */
    @Nullable
    Instant firstTick(UUID rootId, Instant now) {
        var seeded = CronSchedule.parse(schedule.expression(), schedule.zone().getId(), TickId.seed(rootId));
        // A tick at the very start counts.
        var after = startsAt != null && startsAt.isAfter(now) ? startsAt.minusMillis(1) : now;
        var tick = seeded.next(after);
        return tick == null || (endsAt != null && !tick.isBefore(endsAt)) ? null : tick;
    }

    /** Equal for equal requests. */
    UUID fingerprint() {
        var fingerprint = Fingerprint.of(
                endpoint, "CRON", schedule.expression(), schedule.zone(), startsAt, endsAt, priority, Json.text(input));
        return Tags.mark(fingerprint, tags);
    }
}
