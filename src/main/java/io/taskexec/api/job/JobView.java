package io.taskexec.api.job;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.api.execution.ExecutionView;
import io.taskexec.api.web.Versioned;
import io.taskexec.job.JobCreation.Outcome;
import io.taskexec.model.PublicId;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Expiry;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobStatus;
import io.taskexec.model.job.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A job as it is shown. */
@Schema(name = "Job")
record JobView(
        String jobId,
        @Nullable String endpoint,

        @Schema(ref = "Target", nullable = true) @Nullable ObjectNode target,

        EndpointType endpointType,
        @Nullable Integer endpointVersion,
        @Schema(ref = "JobTrigger") String trigger,
        JobStatus status,
        int version,
        @Nullable String previousVersionId,
        @Nullable String replacedById,
        String queue,
        @Nullable String flowKey,
        int priority,
        @Schema(format = "duration") @Nullable String ttl,
        @Nullable Instant expiresAt,
        @Nullable Instant deadline,
        @Nullable List<ParentView> dependsOn,
        @Schema(ref = "TriggerRule") @Nullable String triggerRule,
        @Nullable JsonNode when,
        @Nullable Long timeoutMs,
        @Nullable List<String> retryOn,
        @Nullable List<String> noRetryOn,
        Collection<String> tags,
        @Nullable String idempotencyKey,
        @Nullable Instant runAt,
        @JsonUnwrapped @Nullable ScheduleView schedule,
        @Nullable JsonNode input,

        @Schema(ref = "ExecutionRef", nullable = true) @Nullable
        Object execution,

        @Nullable String traceId,
        @Nullable String supersededJobId,
        Instant createdAt)
        implements Versioned {
    /** As much of an execution as its job shows. The document adds the fields that it has after a wait. */
    @Schema(name = "ExecutionRef", description = "The execution of a job; all of it in the answer to 'wait'.")
    record ExecutionRef(String executionId, ExecutionStatus status, Instant createdAt) {
        public static ExecutionRef of(Execution execution) {
            return new ExecutionRef(PublicId.EXECUTION.show(execution.id()), execution.status(), execution.createdAt());
        }
    }

    /**
     * A job that the job waits for.
     *
     * @param name in the templates of the job
     */
    @Schema(name = "JobParent")
    record ParentView(String jobId, String name) {
        static @Nullable List<ParentView> of(@Nullable Dependencies dependencies) {
            return dependencies == null
                    ? null
                    : dependencies.parents().stream()
                            .map(parent -> new ParentView(PublicId.JOB.show(parent.id()), parent.name()))
                            .toList();
        }
    }

    private static @Nullable Long millis(@Nullable Duration time) {
        return time == null ? null : time.toMillis();
    }

    private static @Nullable List<String> orNull(List<String> words) {
        return words.isEmpty() ? null : words;
    }

    private static @Nullable String rule(@Nullable Dependencies dependencies) {
        return dependencies == null ? null : dependencies.rule().word();
    }

    public static JobView of(Outcome outcome) {
        return switch (outcome) {
            case Outcome.OneShot created -> created(created);
            case Outcome.Stored stored -> of(stored.job());
        };
    }

    public static JobView of(Job job) {
        var execution = job.execution();
        return of(job, execution == null ? null : ExecutionRef.of(execution), null);
    }

    /** A job whose request has waited, with all of its execution. */
    static JobView of(Outcome outcome, Job job, ExecutionView execution) {
        return of(job, execution, outcome instanceof Outcome.OneShot created ? created.superseded() : null);
    }

    /**
     * @param execution of a one-shot job: all or a part of it
     * @param superseded the job whose place it has taken, in the answer to its creation
     */
    private static JobView of(Job job, @Nullable Object execution, @Nullable UUID superseded) {
        var target = job.options().target();
        return new JobView(
                PublicId.JOB.show(job.id()),
                target == null ? job.endpoint() : null,
                target == null ? null : target.shown(),
                job.endpointType(),
                target == null ? job.endpointVersion() : null,
                job.trigger().kind(),
                job.status(),
                job.version(),
                PublicId.JOB.showOrNull(job.previousVersionId()),
                PublicId.JOB.showOrNull(job.replacedById()),
                job.queue(),
                job.flowKey(),
                job.priority(),
                ttl(job.expiry()),
                job.expiry().expiresAt(),
                job.expiry().deadline(),
                ParentView.of(job.dependencies()),
                rule(job.dependencies()),
                job.options().when(),
                millis(job.options().timeout()),
                orNull(job.options().rules().retryOn()),
                orNull(job.options().rules().noRetryOn()),
                job.tags(),
                job.idempotencyKey(),
                job.trigger() instanceof Trigger.Delayed(var runAt) ? runAt : null,
                job.trigger() instanceof Trigger.Scheduled scheduled ? ScheduleView.of(scheduled) : null,
                job.input(),
                execution,
                job.traceId(),
                PublicId.JOB.showOrNull(superseded),
                job.createdAt());
    }

    private static @Nullable String ttl(Expiry expiry) {
        var ttl = expiry.ttl();
        return ttl == null ? null : ttl.toString();
    }

    /** A job that has just been created, without another look at the store. */
    private static JobView created(Outcome.OneShot outcome) {
        var job = outcome.job();
        var created = outcome.result();
        var target = job.options().target();
        return new JobView(
                PublicId.JOB.show(job.id()),
                target == null ? job.endpoint() : null,
                target == null ? null : target.shown(),
                outcome.endpoint().type(),
                target == null ? job.endpointVersion() : null,
                job.trigger(),
                JobStatus.ACTIVE,
                1,
                null,
                null,
                outcome.queue(),
                job.flow() == null ? null : job.flow().key(),
                job.priority(),
                ttl(job.expiry()),
                job.expiry().expiresAt(),
                job.expiry().deadline(),
                ParentView.of(job.dependencies()),
                rule(job.dependencies()),
                job.options().when(),
                millis(job.options().timeout()),
                orNull(job.options().rules().retryOn()),
                orNull(job.options().rules().noRetryOn()),
                job.tags(),
                job.idempotencyKey(),
                job.trigger().equals("DELAYED") ? created.runAt() : null,
                null,
                job.input(),
                new ExecutionRef(PublicId.EXECUTION.show(job.id()), created.status(), created.createdAt()),
                job.trace() == null ? null : job.trace().traceId(),
                PublicId.JOB.showOrNull(outcome.superseded()),
                created.createdAt());
    }
}
