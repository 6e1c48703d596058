package io.taskexec.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.job.JobQueues.Placing;
import io.taskexec.job.RegisteredEndpoints.Registered;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.TraceContext;
import io.taskexec.model.Uuid7;
import io.taskexec.model.job.Expiry;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobOptions;
import io.taskexec.model.job.JobOptions.Workflow;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.TickId;
import io.taskexec.model.job.Timetable;
import io.taskexec.model.job.Trigger;
import io.taskexec.model.job.TriggerKind;
import io.taskexec.request.Fields;
import io.taskexec.request.IdempotencyKey;
import io.taskexec.request.Tags;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.job.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A CRON or INTERVAL job as it is asked for.
 *
 * @param idempotencyKey empty for none
 * @param startsAt null for the present time, or for the start of the version before
 * @param queue null for that of its endpoint
 * @param pointer where its input is in the request
 */
record ScheduleRequest(
        String endpoint,
        Timetable timetable,
        String idempotencyKey,
        @Nullable Instant startsAt,
        @Nullable Instant endsAt,
        @Nullable Integer maxFires,
        CatchUp catchUp,
        Overlap overlap,
        Duration jitter,
        @Nullable String queue,
        int priority,
        Set<String> tags,
        @Nullable Duration ttl,
        JobOptions options,
        @Nullable JsonNode input,
        String pointer)
        implements JobCreation.Repeatable {
    private static final Duration MAX_WINDOW = Duration.ofDays(3660);
    private static final Duration MAX_JITTER = Duration.ofHours(24);

    /** @param headerKey the value of an {@code Idempotency-Key} header, which may stand for the field */
    static ScheduleRequest read(Fields fields, TriggerKind trigger, @Nullable String headerKey) {
        var destination = Destination.read(fields);
        return read(
                fields,
                destination.endpoint(),
                IdempotencyKey.optional(fields, headerKey),
                trigger,
                OptionFields.read(fields).to(destination.target()));
    }

    /** Reads a schedule of runs of a workflow. */
    static ScheduleRequest ofWorkflow(
            Fields fields,
            TriggerKind trigger,
            String endpoint,
            @Nullable Workflow workflow,
            @Nullable String headerKey) {
        return read(
                fields,
                endpoint,
                IdempotencyKey.optional(fields, headerKey),
                trigger,
                JobOptions.NONE.running(workflow));
    }

    /** Reads the next version of a job, whose endpoint and kind of trigger stay. */
    static ScheduleRequest readUpdate(Fields fields, Job job) {
        var destination = Destination.readUpdate(fields, job);
        var trigger = job.trigger();
        var given = fields.optionalTree("trigger");
        if (given != null && !given.asText().equals(trigger.kind())) {
            fields.violation("trigger", "must stay " + trigger.kind() + ", or be left out");
        }
        // The graph of a workflow without a definition stays as it is.
        var options =
                OptionFields.read(fields).running(job.options().workflow()).to(destination.target());
        return read(fields, job.endpoint(), "", TriggerKind.valueOf(trigger.kind()), options);
    }

    private static ScheduleRequest read(
            Fields fields, String endpoint, String key, TriggerKind trigger, JobOptions options) {
        TriggerFields.check(fields, trigger);
        var times = trigger == TriggerKind.INTERVAL ? TimetableRequest.interval(fields) : TimetableRequest.cron(fields);
        var startsAt = fields.optionalInstant("starts_at");
        var endsAt = fields.optionalInstant("ends_at");
        if (startsAt != null && endsAt != null && !startsAt.isBefore(endsAt)) {
            fields.violation("ends_at", "must be after starts_at");
        }
        var maxFires = fields.optionalInteger("max_fires");
        var catchUp = catchUp(fields);
        var overlap = fields.choice("overlap", Overlap.class);
        var jitter = fields.optionalDuration("jitter", MAX_JITTER);
        var ttl = ExpiryFields.ttl(fields);
        if (ttl != null && jitter != null && ttl.compareTo(jitter) <= 0) {
            fields.violation("ttl", "must be longer than jitter, since it counts from the tick");
        }
        var queue = fields.optionalName("queue");
        var priority = fields.integer("priority");
        var tags = Tags.read(fields);
        var input = fields.optionalTree("input");
        fields.check();
        var timetable = TimetableRequest.valid(fields, () -> {
            var wanted = times.get();
            var _ = Schedules.of(wanted, startsAt == null ? Instant.EPOCH : startsAt, 0);
            return wanted;
        });
        return new ScheduleRequest(
                endpoint,
                timetable,
                key,
                startsAt,
                endsAt,
                maxFires,
                catchUp,
                overlap,
                jitter == null ? Duration.ZERO : jitter,
                queue,
                priority,
                tags,
                ttl,
                options,
                input,
                fields.pointer("input"));
    }

    private static CatchUp catchUp(Fields fields) {
        var nested = fields.fields("catch_up");
        var mode = nested.choice("mode", CatchUp.Mode.class);
        var max = nested.optionalInteger("max");
        var window = nested.optionalDuration("window", MAX_WINDOW);
        if (mode != CatchUp.Mode.ALL) {
            Stream.of("max", "window")
                    .filter(nested::has)
                    .forEach(field -> nested.violation(field, "is only for the mode ALL; null removes it"));
        }
        nested.checkNested();
        return new CatchUp(mode, max == null ? CatchUp.DEFAULT_MAX : max, window);
    }

    /** @param startOtherwise where the schedule starts when the request does not say */
    SchedulePolicy policy(Instant startOtherwise) {
        var start = startsAt == null ? startOtherwise : startsAt;
        // The first tick of an interval is its start, and ticks have whole milliseconds.
        var isInterval = timetable instanceof Timetable.Every;
        return new SchedulePolicy(
                isInterval ? start.truncatedTo(ChronoUnit.MILLIS) : start, endsAt, maxFires, catchUp, overlap, jitter);
    }

    /**
     * The first tick after {@code now} and not before the start; null when the end comes first.
     *
     * @param rootId the first version of the schedule
     */
    @Nullable
    Instant firstTick(UUID rootId, SchedulePolicy policy, Instant now) {
        var schedule = Schedules.of(timetable, policy.startsAt(), TickId.seed(rootId));
        // A tick at the very start counts.
        var after = policy.startsAt().isAfter(now) ? policy.startsAt().minusNanos(1) : now;
        var tick = schedule.next(after);
        return tick == null || (endsAt != null && !tick.isBefore(endsAt)) ? null : tick;
    }

    @Override
    public boolean isRepeatable() {
        return !idempotencyKey.isEmpty();
    }

    @Override
    public UUID fingerprint() {
        var fingerprint = Fingerprint.of(
                endpoint, timetable, startsAt, endsAt, maxFires, catchUp, overlap, jitter, priority, input);
        var marked = ExpiryFields.mark(JobQueues.mark(Tags.mark(fingerprint, tags), queue), Expiry.ofTtl(ttl));
        return OptionFields.mark(marked, options);
    }

    /** The job as it is to be stored. */
    NewJob newJob(Registered endpoint, Placing place, @Nullable TraceContext trace) {
        return new NewJob(
                Uuid7.next(),
                endpoint.name(),
                endpoint.version(),
                endpoint.payloadSpecVersion(),
                Trigger.kind(timetable),
                null,
                Duration.ZERO,
                place.id(endpoint),
                priority,
                tags,
                idempotencyKey,
                fingerprint(),
                input,
                trace,
                endpoint.flowKey(input, false, pointer),
                place.isNamed(),
                Expiry.ofTtl(ttl),
                null,
                options,
                false);
    }
}
