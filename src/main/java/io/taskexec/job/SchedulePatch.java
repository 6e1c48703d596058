package io.taskexec.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.Trigger;
import io.taskexec.request.Fields;
import io.taskexec.request.MergePatch;
import io.taskexec.request.RequestBodies;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A JSON Merge Patch of a CRON or INTERVAL job. */
public record SchedulePatch(ObjectNode changes) {
    private static final List<String> NESTED = List.of("dst", "catch_up");

    /** Throws when the body is no JSON object. */
    public static SchedulePatch of(byte @Nullable [] body) {
        return new SchedulePatch(Fields.requireObject(RequestBodies.parse(body), ""));
    }

    /** The schedule after the patch. */
    record Next(ObjectNode fields, boolean isSame) {}

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
