package io.taskexec.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.job.JobQueues.Placing;
import io.taskexec.job.RegisteredEndpoints.Registered;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.TraceContext;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.Expiry;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.JobOptions;
import io.taskexec.model.job.JobOptions.Announcement;
import io.taskexec.model.job.JobOptions.Workflow;
import io.taskexec.model.job.OnConflict;
import io.taskexec.model.job.TriggerKind;
import io.taskexec.request.Fields;
import io.taskexec.request.IdempotencyKey;
import io.taskexec.request.Tags;
import io.taskexec.store.job.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is asked for.
 *
 * @param runAt of a DELAYED job that names a time
 * @param delay of a DELAYED job that names a duration
 * @param queue null for that of its endpoint
 * @param dependencies the jobs that it waits for; null for none
 * @param options that few jobs have
 * @param pointer where its input is in the request
 * @param conflict what happens when another job has its key
 */
record JobRequest(
        String endpoint,
        Kind trigger,
        String idempotencyKey,
        @Nullable Instant runAt,
        @Nullable Duration delay,
        @Nullable String queue,
        int priority,
        Set<String> tags,
        Expiry expiry,
        @Nullable Dependencies dependencies,
        JobOptions options,
        @Nullable JsonNode input,
        String pointer,
        Conflict conflict)
        implements JobCreation.Repeatable {
    private static final Duration MAX_DELAY = Duration.ofDays(36_525);

    /** The triggers of a one-shot job. */
    enum Kind {
        IMMEDIATE,
        DELAYED
    }

    /** @param headerKey the value of an {@code Idempotency-Key} header, which may stand for the field */
    static JobRequest read(Fields fields, TriggerKind trigger, @Nullable String headerKey) {
        var destination = Destination.read(fields);
        TriggerFields.check(fields, trigger);
        var dependencies = DependencyFields.read(fields);
        var input = fields.optionalTree("input");
        var request = new JobRequest(
                destination.endpoint(),
                Kind.valueOf(trigger.name()),
                IdempotencyKey.required(fields, headerKey),
                fields.optionalInstant("run_at"),
                fields.optionalDuration("delay"),
                fields.optionalName("queue"),
                fields.integer("priority"),
                Tags.read(fields),
                ExpiryFields.once(fields),
                dependencies,
                OptionFields.read(fields, dependencies, input).to(destination.target()),
                input,
                fields.pointer("input"),
                Conflict.read(fields));
        request.checkTime(fields);
        if (fields.has(JobFields.REF)) {
            fields.violation(JobFields.REF, "is only for jobs of a batch");
        }
        fields.check();
        return request;
    }

    /** The same for a job that announces this question. */
    JobRequest announcing(Announcement question) {
        return new JobRequest(
                endpoint,
                trigger,
                idempotencyKey,
                runAt,
                delay,
                queue,
                priority,
                tags,
                expiry,
                dependencies,
                options.announcing(question),
                input,
                pointer,
                conflict);
    }

    /** Reads the times of a run of a workflow, and what a job has otherwise that is of use to it. */
    static JobRequest ofWorkflow(
            Fields fields,
            TriggerKind trigger,
            String endpoint,
            @Nullable Workflow workflow,
            Expiry expiry,
            @Nullable String headerKey) {
        TriggerFields.check(fields, trigger);
        var request = new JobRequest(
                endpoint,
                Kind.valueOf(trigger.name()),
                IdempotencyKey.required(fields, headerKey),
                fields.optionalInstant("run_at"),
                fields.optionalDuration("delay"),
                fields.optionalName("queue"),
                fields.integer("priority"),
                Tags.read(fields),
                expiry,
                null,
                JobOptions.NONE.running(workflow),
                fields.optionalTree("input"),
                fields.pointer("input"),
                Conflict.NONE);
        request.checkTime(fields);
        fields.check();
        return request;
    }

    /** Fails when it would expire before it could run by now. */
    void checkInTime(Fields fields) {
        if (runAt == null) {
            ExpiryFields.checkAfter(fields, expiry, ProgramClock.now().plus(delayOrNone()));
            fields.check();
        }
    }

    private void checkTime(Fields fields) {
        // Given, whether or not it could be read: what is malformed is not missing as well.
        var hasRunAt = fields.optionalTree("run_at") != null;
        var hasDelay = fields.optionalTree("delay") != null;
        if (trigger == Kind.DELAYED && hasRunAt == hasDelay) {
            fields.violation("run_at", "or 'delay', exactly one of them, is required for the trigger DELAYED");
        }
        if (runAt != null) {
            ExpiryFields.checkAfter(fields, expiry, runAt);
        }
        var now = ProgramClock.now();
        if ((runAt != null && (runAt.isAfter(now.plus(MAX_DELAY)) || runAt.isBefore(now.minus(MAX_DELAY))))
                || (delay != null && delay.compareTo(MAX_DELAY) > 0)) {
            fields.violation(runAt != null ? "run_at" : "delay", "must be within 100 years from now");
        }
    }

    Duration delayOrNone() {
        return delay == null ? Duration.ZERO : delay;
    }

    @Override
    public boolean isRepeatable() {
        return conflict.mode() == OnConflict.RETURN;
    }

    @Override
    public UUID fingerprint() {
        var fingerprint = Fingerprint.of(endpoint, trigger, runAt, delay, priority, input);
        var marked = ExpiryFields.mark(JobQueues.mark(Tags.mark(fingerprint, tags), queue), expiry);
        return OptionFields.mark(DependencyFields.mark(marked, dependencies), options);
    }

    /** The job as it is to be stored. */
    NewJob newJob(UUID id, Registered endpoint, Placing place, @Nullable TraceContext trace) {
        return new NewJob(
                id,
                endpoint.name(),
                endpoint.version(),
                endpoint.payloadSpecVersion(),
                trigger.name(),
                runAt,
                delayOrNone(),
                place.id(endpoint),
                priority,
                tags,
                idempotencyKey,
                fingerprint(),
                input,
                trace,
                endpoint.flowKey(input, options.isTemplate(), pointer),
                place.isNamed(),
                expiry,
                dependencies,
                options,
                endpoint.type() == EndpointType.WORKER);
    }
}
