package io.taskexec.workflow;

import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.Job;
import io.taskexec.store.workflow.WorkflowNode;
import io.taskexec.store.workflow.WorkflowRun;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A run of a workflow with its jobs.
 *
 * @param run null before it is noted
 * @param nodes empty before its start
 */
public record RunView(
        Execution execution,
        Job job,
        WorkflowSpec spec,
        @Nullable WorkflowRun run,
        List<WorkflowNode> nodes) {
    /** The status of the run that it is asked to end, and that its jobs have not all ended. */
    private static final String CANCELLING = "CANCELLING";

    /** The name: that of its definition, or the one that its creator gave it. */
    public String name() {
        var inline = job.options().workflow();
        return inline == null ? job.endpoint() : inline.name();
    }

    /** The status: that of its execution, but for a run that is being cancelled. */
    public String status() {
        return run == null || execution.status().isFinal()
                ? execution.status().name()
                : status(run, execution.status().name());
    }

    private static String status(WorkflowRun run, String other) {
        return run.cancellingAt() != null ? CANCELLING : run.startedAt() != null ? "RUNNING" : other;
    }

    /**
     * The jobs that the run has taken its time for: the one that has ended last, before it the one of its parents that
     * has, and so on. First to last; empty before any job has ended.
     */
    public List<String> criticalPath() {
        var byName = new HashMap<String, WorkflowNode>();
        nodes.forEach(node -> byName.put(node.name(), node));
        var path = new ArrayList<String>();
        @Nullable WorkflowNode next = latest(nodes);
        while (next != null) {
            path.addFirst(next.name());
            var job = spec.jobs().get(next.name());
            next = job == null
                    ? null
                    : latest(job.dependsOn().stream()
                            .map(byName::get)
                            .filter(Objects::nonNull)
                            .toList());
        }
        return path;
    }

    private static @Nullable WorkflowNode latest(List<WorkflowNode> nodes) {
        return nodes.stream()
                .filter(node -> node.completedAt() != null)
                .max(Comparator.comparing(RunView::end).thenComparing(WorkflowNode::name))
                .orElse(null);
    }

    private static Instant end(WorkflowNode node) {
        return Objects.requireNonNull(node.completedAt());
    }
}
