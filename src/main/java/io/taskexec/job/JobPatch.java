package io.taskexec.job;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.job.JobRequest.Kind;
import io.taskexec.model.Json;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.Trigger;
import io.taskexec.model.job.TriggerKind;
import io.taskexec.request.Fields;
import io.taskexec.request.MergePatch;
import io.taskexec.request.RequestBodies;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON Merge Patch of a job.
 *
 * @param isForced whether it changes also a one-shot job that is what it says already
 */
public record JobPatch(ObjectNode changes, boolean isForced) {
    private static final List<String> NESTED = List.of("dst", "catch_up");

    /** The fields of a one-shot job that say what it is. */
    private static final List<String> LASTING = List.of(
            "endpoint", "idempotency_key", "depends_on", "trigger_rule", "when", "ref", "on_conflict", "max_wait");

    /** Fields of which a job has one: one that is set takes the place of the other. */
    private static final Map<String, String> INSTEAD =
            Map.of("run_at", "delay", "delay", "run_at", "ttl", "expires_at", "expires_at", "ttl");

    /** Throws when the body is no JSON object. */
    public static JobPatch of(byte @Nullable [] body) {
        return new JobPatch(Fields.requireObject(RequestBodies.parse(body), ""), false);
    }

    /** The schedule after the patch. */
    record Next(ObjectNode fields, boolean isSame) {}

    /** Makes a one-shot job run now by the database's clock, also one without a time that was put off. */
    static JobPatch runningNow() {
        return new JobPatch(JsonNodeFactory.instance.objectNode().putNull("run_at"), true);
    }

    /**
     * A one-shot job after the patch.
     *
     * @param isRetimed whether its time changes
     */
    record Once(JobRequest request, Fields fields, boolean isSame, boolean isRetimed) {}

    /** Applies it to a one-shot job; throws when what that becomes cannot be. */
    Once applyOnce(Job job) {
        var present = OneShotFields.of(job);
        var next = MergePatch.apply(present, changes);
        keepNulls(next, changes);
        INSTEAD.forEach((field, other) -> {
            if (changes.hasNonNull(field) && !changes.hasNonNull(other)) {
                next.remove(other);
            }
        });
        var isRetimed = changes.has("run_at") || changes.has("delay") || changes.has("trigger");
        if (!changes.has("trigger")) {
            var trigger = next.hasNonNull("run_at") || next.hasNonNull("delay") ? Kind.DELAYED : Kind.IMMEDIATE;
            next.put("trigger", trigger.name());
        }
        if (Json.write(next).getBytes(StandardCharsets.UTF_8).length > RequestBodies.MAX_BYTES) {
            throw RequestBodies.tooLarge();
        }
        var fields = Fields.of(next, "", JobFields.NEW_JOB);
        LASTING.stream()
                .filter(field -> changes.has(field) && !changes.get(field).equals(present.get(field)))
                .forEach(field -> fields.violation(field, "cannot be changed"));
        if (changes.has("when")) {
            // What is no condition would have an error of its own.
            fields.check();
        }
        OptionFields.checkFits(fields, job.endpointType());
        var request = readOnce(fields, job);
        if (!request.endpoint().equals(job.endpoint())) {
            fields.violation(JobFields.TARGET, "must keep its origin");
            fields.check();
        }
        request.checkInTime(fields);
        var before = readOnce(Fields.of(present, "", JobFields.NEW_JOB), job);
        var isSame = !isForced && request.fingerprint().equals(before.fingerprint());
        return new Once(request, fields, isSame, isRetimed);
    }

    private static JobRequest readOnce(Fields fields, Job job) {
        var trigger = TriggerFields.read(fields);
        if (trigger == TriggerKind.CRON || trigger == TriggerKind.INTERVAL) {
            fields.violation("trigger", "cannot be changed to " + trigger);
            fields.check();
        }
        var workflow = job.options().workflow();
        if (workflow == null) {
            return JobRequest.read(fields, trigger, null);
        }
        if (fields.has(JobFields.TARGET)) {
            fields.violation(JobFields.TARGET, "is not for the run of a workflow");
        }
        return JobRequest.ofWorkflow(fields, trigger, job.endpoint(), workflow, ExpiryFields.once(fields), null);
    }

    /** Throws when what it becomes cannot be. */
    Next apply(Job job, Trigger.Scheduled schedule) {
        var present = ScheduleFields.of(job, schedule);
        var next = MergePatch.apply(present, changes);
        keepNulls(next, changes);
        for (var nested : NESTED) {
            if (next.get(nested) instanceof ObjectNode fields && changes.get(nested) instanceof ObjectNode patch) {
                keepNulls(fields, patch);
            }
        }
        // Small patches must not make an input that no request could have.
        if (Json.write(next).getBytes(StandardCharsets.UTF_8).length > RequestBodies.MAX_BYTES) {
            throw RequestBodies.tooLarge();
        }
        return new Next(
                next, read(next, job).fingerprint().equals(read(present, job).fingerprint()));
    }

    /** A field that is null is read as one that is absent, but its name is checked. */
    private static void keepNulls(ObjectNode merged, ObjectNode patch) {
        patch.properties().stream()
                .filter(field -> field.getValue().isNull())
                .forEach(field -> merged.putNull(field.getKey()));
    }

    private static ScheduleRequest read(ObjectNode fields, Job job) {
        return ScheduleRequest.readUpdate(Fields.of(fields, "", JobFields.REPLACEMENT), job);
    }
}
