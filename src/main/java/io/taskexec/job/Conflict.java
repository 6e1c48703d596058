package io.taskexec.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.OnConflict;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.job.JobStore;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Says what happens when another job has the key of a request.
 *
 * @param maxWait how long the jobs of the key may be put off in all; null for no limit
 */
record Conflict(OnConflict mode, @Nullable Duration maxWait) {
    private static final Duration MAX_WAIT = Duration.ofDays(3660);

    static final Conflict NONE = new Conflict(OnConflict.RETURN, null);

    static Conflict read(Fields fields) {
        if (!fields.has("on_conflict") && !fields.has("max_wait")) {
            return NONE;
        }
        var mode = fields.choice("on_conflict", OnConflict.class);
        var maxWait = fields.optionalDuration("max_wait", MAX_WAIT);
        if (maxWait != null && maxWait.isZero()) {
            fields.violation("max_wait", "must be positive");
        }
        if (fields.has("max_wait") && mode != OnConflict.REPLACE) {
            fields.violation("max_wait", "is only for 'on_conflict' with the value 'replace'");
        }
        if (fields.has(JobFields.DEPENDS_ON) && mode == OnConflict.REPLACE) {
            fields.violation("on_conflict", "cannot be 'replace' together with 'depends_on'");
        }
        return new Conflict(mode, maxWait);
    }

    /** Refuses to replace runs of workflows, which end with their jobs. */
    void checkFits(Fields fields, EndpointType type) {
        if (mode == OnConflict.REPLACE && type == EndpointType.WORKFLOW) {
            fields.violation("on_conflict", "cannot be 'replace' for a workflow");
            fields.check();
        }
    }

    /** The job that has the key; fails when the request is not answered with it. */
    Uni<@Nullable Job> existing(JobStore jobs, String key, UUID id, boolean sameRequest) {
        return switch (mode) {
            case RETURN -> Jobs.existing(jobs, key, id, sameRequest);
            case REPLACE ->
                throw inUse(
                        "The idempotency key '%s' belongs to the job '%s', which is a schedule or keeps changing.",
                        key, id);
            case REJECT -> throw inUse("The idempotency key '%s' belongs to the job '%s'.", key, id);
        };
    }

    private static ApiException inUse(String message, String key, UUID id) {
        return new ApiException(ErrorCode.IDEMPOTENCY_KEY_IN_USE, message.formatted(key, PublicId.JOB.show(id)));
    }
}
