package io.taskexec.api.job;

import io.taskexec.job.TimetableRequest;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.TickId;
import io.taskexec.request.Fields;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.Interval;
import io.taskexec.schedule.Schedule;
import io.taskexec.schedule.Tick;
import io.taskexec.schedule.Zones;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The question when a schedule fires.
 *
 * @param from no tick before it is asked for; one at that very moment is
 * @param endsAt no tick from it on is; null for never
 */
record PreviewRequest(
        Schedule schedule,
        ZoneId zone,
        Instant from,
        @Nullable Instant endsAt,
        int count) {
    private static final String UTC = "UTC";
    private static final List<String> OF_CRON_ONLY = List.of("dst", "hash_key");

    /** Throws ApiException, with INVALID_CRON for a schedule that cannot be. */
    static PreviewRequest read(Fields fields) {
        var cron = fields.optionalText("cron");
        var every = fields.optionalText("every");
        var isCron = checkKind(fields);
        var timezone = isCron ? fields.text("timezone") : fields.optionalText("timezone");
        var from = fields.optionalInstant("from");
        var startsAt = fields.optionalInstant("starts_at");
        var endsAt = fields.optionalInstant("ends_at");
        if (startsAt != null && endsAt != null && !startsAt.isBefore(endsAt)) {
            fields.violation("ends_at", "must be after starts_at");
        }
        var count = fields.integer("count");
        var dst = TimetableRequest.Dst.read(fields);
        var seed = seed(fields);
        fields.check();

        var zone = TimetableRequest.valid(fields, () -> Zones.named(timezone == null ? UTC : timezone));
        // As a job that is created now: an interval counts from it, in whole milliseconds, and its first tick is later.
        var asked =
                from == null ? ProgramClock.now().truncatedTo(ChronoUnit.MILLIS).plusNanos(1) : from;
        // The first tick of an interval is its start, and ticks have whole milliseconds.
        var start = startsAt == null ? asked : isCron ? startsAt : startsAt.truncatedTo(ChronoUnit.MILLIS);
        var schedule = TimetableRequest.<Schedule>valid(
                fields,
                () -> cron == null ? Interval.parse(String.valueOf(every), start) : cron(cron, zone, seed, dst));
        return new PreviewRequest(schedule, zone, start.isAfter(asked) ? start : asked, endsAt, count);
    }

    /** Whether it is a cron expression that is asked about. */
    private static boolean checkKind(Fields fields) {
        var hasCron = fields.optionalTree("cron") != null;
        var hasEvery = fields.optionalTree("every") != null;
        if (hasCron == hasEvery) {
            fields.violation("cron", "or 'every', exactly one of them, is required");
        } else if (hasEvery) {
            OF_CRON_ONLY.stream()
                    .filter(field -> fields.optionalTree(field) != null)
                    .forEach(field -> fields.violation(field, "is only for 'cron'"));
        }
        return hasCron;
    }

    private static long seed(Fields fields) {
        var key = fields.optionalText("hash_key");
        var id = key == null ? null : PublicId.JOB.parse(key);
        if (key != null && id == null) {
            fields.violation("hash_key", "must be the id of a job, as in job_ and 32 hexadecimal digits");
        }
        return id == null ? 0 : TickId.seed(id);
    }

    private static Schedule cron(String expression, ZoneId zone, long seed, DstPolicy dst) {
        return CronSchedule.parse(expression, zone.getId(), seed).with(dst);
    }

    /** The first ticks, as many as are asked for if there are as many. */
    List<Tick> ticks() {
        return schedule.preview(from.minusNanos(1), count).stream()
                .takeWhile(tick -> endsAt == null || tick.at().isBefore(endsAt))
                .toList();
    }
}
