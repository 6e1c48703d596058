package io.taskexec.job;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.PublicId;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.job.Expiry;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.Trigger;
import io.taskexec.store.sql.Lanes;

/**
 * The fields that a request for a one-shot job would have to make it as it is; a patch is applied to them. Fields with
 * their default are left out, so that a patch is not in conflict with one that was never set.
 */
final class OneShotFields {
    private OneShotFields() {}

    static ObjectNode of(Job job) {
        var fields = JsonNodeFactory.instance.objectNode();
        if (job.options().target() == null) {
            fields.put("endpoint", job.endpoint());
        }
        fields.put("trigger", job.trigger().kind());
        fields.put("idempotency_key", job.idempotencyKey());
        if (job.trigger() instanceof Trigger.Delayed(var runAt)) {
            fields.put("run_at", runAt.toString());
        }
        common(fields, job);
        expiry(fields, job.expiry());
        if (job.dependencies() != null) {
            dependencies(fields, job.dependencies());
        }
        return fields;
    }

    /** Adds the fields that every job may have. */
    static void common(ObjectNode fields, Job job) {
        if (job.namesQueue()) {
            fields.put("queue", job.queue());
        }
        if (job.priority() != Lanes.DEFAULT_PRIORITY) {
            fields.put("priority", job.priority());
        }
        if (!job.tags().isEmpty()) {
            job.tags().forEach(fields.putArray("tags")::add);
        }
        var ttl = job.expiry().ttl();
        if (ttl != null) {
            fields.put("ttl", ttl.toString());
        }
        var options = job.options().toJson();
        options.remove("template");
        options.remove("workflow");
        fields.setAll(options);
        var input = job.input();
        if (input != null) {
            fields.set("input", input);
        }
    }

    private static void expiry(ObjectNode fields, Expiry expiry) {
        if (expiry.expiresAt() != null) {
            fields.put("expires_at", expiry.expiresAt().toString());
        }
        if (expiry.deadline() != null) {
            fields.put("deadline", expiry.deadline().toString());
        }
    }

    private static void dependencies(ObjectNode fields, Dependencies dependencies) {
        var parents = fields.putObject(JobFields.DEPENDS_ON);
        dependencies.parents().forEach(parent -> parents.put(parent.name(), PublicId.JOB.show(parent.id())));
        fields.put("trigger_rule", dependencies.rule().word());
    }
}
