package io.taskexec.store.invariant;

import static io.taskexec.store.invariant.InvariantQuery.show;
import static io.taskexec.store.invariant.InvariantQuery.violation;

import java.util.List;

/** Invariants of the runs of workflows. */
final class WorkflowInvariants {
    private static final InvariantQuery OUTLIVED =
            violation("job_outlives_workflow", "No job of a workflow goes on when the run has ended.", """
            WITH few AS MATERIALIZED (
              SELECT run_id FROM workflow_runs WHERE ended ORDER BY run_id DESC LIMIT $1::bigint
            )
            SELECT %s AS id FROM few f JOIN workflow_nodes n ON n.run_id = f.run_id
            WHERE (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = n.job_id) IS NOT NULL
            """.formatted(
                            show("exec_", "n.job_id")));

    private static final InvariantQuery UNSTARTED =
            violation("workflow_without_jobs", "A run of a workflow that waits for its jobs has some.", """
            WITH few AS MATERIALIZED (
              SELECT execution_id FROM exec_live WHERE trigger_rule = 8 LIMIT $1::bigint
            )
            SELECT %s AS id FROM few f
            WHERE (SELECT n.job_id FROM workflow_nodes n WHERE n.run_id = f.execution_id LIMIT 1) IS NULL
            """.formatted(
                            show("exec_", "f.execution_id")));

    static final List<InvariantQuery> ALL = List.of(OUTLIVED, UNSTARTED);

    private WorkflowInvariants() {}
}
