package io.taskexec.api.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.PublicId;
import io.taskexec.model.endpoint.WorkflowJob;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.workflow.WorkflowNode;
import io.taskexec.workflow.RunView;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The run of a workflow as it is shown. */
@Schema(name = "Workflow")
record WorkflowView(
        String workflowId,
        String jobId,
        String executionId,
        String name,
        @Nullable String definition,
        @Nullable Integer definitionVersion,

        @Schema(description = "That of an execution, or CANCELLING.", examples = "RUNNING")
        String status,

        @Schema(ref = "FailurePolicy") String failurePolicy,
        @Schema(format = "duration") @Nullable String deadline,
        @Nullable JsonNode input,
        @Nullable JsonNode output,
        @Nullable JsonNode error,
        Instant createdAt,
        Instant scheduledFor,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable Long durationMs,
        @Nullable String retryOf,
        @Nullable String retriedAs,

        @Schema(description = "By name.") Map<String, Node> jobs,

        @Schema(description = "The jobs that the run has taken its time for, first to last.")
        List<String> criticalPath) {
    /** A job of a run as it is shown. Before the start of the run it has no id. */
    @Schema(name = "WorkflowNode")
    record Node(
            @Nullable String jobId,
            String endpoint,
            List<String> dependsOn,

            @Schema(ref = "TriggerRule") String triggerRule,
            ExecutionStatus status,
            int attemptCount,
            @Nullable Instant startedAt,
            @Nullable Instant completedAt,
            @Nullable Long durationMs,
            @Nullable JsonNode error) {
        static Node of(WorkflowJob job, @Nullable WorkflowNode node, ExecutionStatus unmade) {
            return new Node(
                    node == null ? null : PublicId.JOB.show(node.jobId()),
                    job.endpoint(),
                    job.dependsOn(),
                    job.rule().word(),
                    node == null ? unmade : node.status(),
                    node == null ? 0 : node.attemptCount(),
                    node == null ? null : node.startedAt(),
                    node == null ? null : node.completedAt(),
                    node == null ? null : millis(node.startedAt(), node.completedAt()),
                    node == null ? null : node.error());
        }
    }

    static WorkflowView of(RunView view) {
        var execution = view.execution();
        var run = view.run();
        var inline = view.job().endpoint().equals(WorkflowSpec.INLINE);
        var startedAt = run == null ? null : run.startedAt();
        return new WorkflowView(
                PublicId.WORKFLOW.show(execution.id()),
                PublicId.JOB.show(execution.jobId()),
                PublicId.EXECUTION.show(execution.id()),
                view.name(),
                inline ? null : view.job().endpoint(),
                inline ? null : execution.endpointVersion(),
                view.status(),
                view.spec().failurePolicy().word(),
                deadline(view),
                run == null || run.input() == null ? view.job().input() : run.input(),
                execution.output(),
                execution.error(),
                execution.createdAt(),
                execution.runAt(),
                startedAt,
                execution.completedAt(),
                millis(startedAt, execution.completedAt()),
                PublicId.WORKFLOW.showOrNull(run == null ? null : run.retryOf()),
                PublicId.WORKFLOW.showOrNull(execution.retriedAs()),
                nodes(view),
                view.criticalPath());
    }

    private static Map<String, Node> nodes(RunView view) {
        var byName = view.nodes().stream().collect(Collectors.toMap(WorkflowNode::name, Function.identity()));
        var nodes = new LinkedHashMap<String, Node>();
        var unmade = unmade(view.execution().status());
        view.spec().jobs().forEach((name, job) -> nodes.put(name, Node.of(job, byName.get(name), unmade)));
        return nodes;
    }

    /** The status of jobs that have not been made, and never will be once the run has ended. */
    private static ExecutionStatus unmade(ExecutionStatus run) {
        return !run.isFinal()
                ? ExecutionStatus.WAITING
                : run == ExecutionStatus.CANCELLED ? ExecutionStatus.CANCELLED : ExecutionStatus.SKIPPED;
    }

    private static @Nullable String deadline(RunView view) {
        var deadline = view.spec().deadline();
        return deadline == null ? null : deadline.toString();
    }

    private static @Nullable Long millis(@Nullable Instant start, @Nullable Instant end) {
        return start == null || end == null || end.isBefore(start)
                ? null
                : Duration.between(start, end).toMillis();
    }
}
