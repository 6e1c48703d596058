package io.taskexec.job;

import static io.taskexec.model.job.JobFields.TARGET;

import io.taskexec.model.job.Job;
import io.taskexec.model.job.Target;
import io.taskexec.request.Fields;
import io.taskexec.request.spec.TargetRequests;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of a job as it is asked for.
 *
 * @param endpoint the name of an endpoint, the hidden one of a target
 * @param target null where an endpoint is named
 */
record Destination(String endpoint, @Nullable Target target) {
    private static final String ENDPOINT = "endpoint";

    static Destination read(Fields fields) {
        if (!fields.has(TARGET)) {
            if (!fields.has(ENDPOINT)) {
                fields.violation(ENDPOINT, "or 'target', exactly one of them, is required");
            }
            return new Destination(fields.has(ENDPOINT) ? fields.name(ENDPOINT) : "", null);
        }
        if (fields.has(ENDPOINT)) {
            fields.violation(TARGET, "cannot be set together with 'endpoint'");
        }
        return of(TargetRequests.read(fields));
    }

    /** Reads the next version of a job, whose receiver stays. */
    static Destination readUpdate(Fields fields, Job job) {
        var before = new Destination(job.endpoint(), job.options().target());
        var endpoint = fields.optionalText(ENDPOINT);
        if (before.target() != null && endpoint != null) {
            fields.violation(ENDPOINT, "must be left out, since the job has a target");
        } else if (endpoint != null && !endpoint.equals(job.endpoint())) {
            fields.violation(ENDPOINT, "must stay '" + job.endpoint() + "', or be left out");
        }
        if (!fields.has(TARGET)) {
            return before;
        }
        var next = of(TargetRequests.read(fields));
        if (before.target() == null) {
            fields.violation(TARGET, "must be left out, since the job has an endpoint");
        } else if (!next.endpoint().equals(before.endpoint())) {
            fields.violation(TARGET, "must stay at " + before.target().origin() + ", or be left out");
        }
        return next;
    }

    private static Destination of(Target target) {
        return new Destination(target.endpoint(), target);
    }
}
