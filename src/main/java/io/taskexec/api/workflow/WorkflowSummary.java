package io.taskexec.api.workflow;

import io.taskexec.model.PublicId;
import io.taskexec.store.workflow.RunStore;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The run of a workflow as a list shows it. */
@Schema(name = "WorkflowSummary")
record WorkflowSummary(
        String workflowId,
        String jobId,
        String name,

        @Schema(description = "Of a run that has not ended PENDING, RUNNING or CANCELLING.", examples = "RUNNING")
        String status,

        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable String retryOf) {
    static WorkflowSummary of(RunStore.Listed listed) {
        var run = listed.run();
        return new WorkflowSummary(
                PublicId.WORKFLOW.show(run.id()),
                PublicId.JOB.show(run.jobId()),
                run.name(),
                listed.status(),
                listed.createdAt(),
                run.startedAt(),
                listed.completedAt(),
                PublicId.WORKFLOW.showOrNull(run.retryOf()));
    }
}
