package io.taskexec.job;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.Timetable;
import io.taskexec.model.job.Trigger;

/**
 * The fields that a request for a schedule would have to make it as it is; a patch is applied to them. Fields with
 * their default are left out, so that a patch is not in conflict with one that was never set.
 */
final class ScheduleFields {
    private ScheduleFields() {}

    static ObjectNode of(Job job, Trigger.Scheduled schedule) {
        var fields = JsonNodeFactory.instance.objectNode();
        if (job.options().target() == null) {
            fields.put("endpoint", job.endpoint());
        }
        fields.put("trigger", job.trigger().kind());
        timetable(fields, schedule.timetable());
        policy(fields, schedule.policy());
        OneShotFields.common(fields, job);
        return fields;
    }

    private static void timetable(ObjectNode fields, Timetable timetable) {
        switch (timetable) {
            case Timetable.Cron cron -> {
                fields.put("cron", cron.expression());
                fields.put("timezone", cron.timezone());
                fields.putObject("dst")
                        .put("gap", cron.dst().gap().name())
                        .put("overlap", cron.dst().overlap().name());
            }
            case Timetable.Every every -> fields.put("every", every.every().toString());
        }
    }

    private static void policy(ObjectNode fields, SchedulePolicy policy) {
        fields.put("starts_at", policy.startsAt().toString());
        var endsAt = policy.endsAt();
        if (endsAt != null) {
            fields.put("ends_at", endsAt.toString());
        }
        var maxFires = policy.maxFires();
        if (maxFires != null) {
            fields.put("max_fires", maxFires);
        }
        catchUp(fields, policy.catchUp());
        if (policy.overlap() != Overlap.ALLOW) {
            fields.put("overlap", policy.overlap().name());
        }
        if (!policy.jitter().isZero()) {
            fields.put("jitter", policy.jitter().toString());
        }
    }

    private static void catchUp(ObjectNode fields, CatchUp catchUp) {
        if (catchUp.mode() != CatchUp.Mode.ALL) {
            fields.putObject("catch_up").put("mode", catchUp.mode().name());
            return;
        }
        var shape = fields.objectNode();
        if (catchUp.max() != CatchUp.DEFAULT_MAX) {
            shape.put("max", catchUp.max());
        }
        var window = catchUp.window();
        if (window != null) {
            shape.put("window", window.toString());
        }
        if (!shape.isEmpty()) {
            fields.set("catch_up", shape);
        }
    }
}
