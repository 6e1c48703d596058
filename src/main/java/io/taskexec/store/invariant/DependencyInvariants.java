package io.taskexec.store.invariant;

import static io.taskexec.store.invariant.InvariantQuery.show;
import static io.taskexec.store.invariant.InvariantQuery.violation;

import java.util.List;

/** Invariants of executions that wait for others. */
final class DependencyInvariants {
    private static final String WAITING = """
            WITH few AS MATERIALIZED (
              SELECT execution_id, trigger_rule, parents_open, parents_succeeded, parents_failed, parents_skipped
              FROM exec_live WHERE trigger_rule IS NOT NULL LIMIT $1::bigint
            )
            SELECT %s AS id FROM few f
            """.formatted(show("exec_", "f.execution_id"));

    private static final String OPEN = """
            (SELECT count(*) FROM job_edges e WHERE e.child_id = f.execution_id AND NOT e.ended
              AND ((SELECT l.execution_id FROM exec_live l WHERE l.execution_id = e.parent_id) IS NOT NULL
                OR (SELECT p.execution_id FROM ended_parents p WHERE p.execution_id = e.parent_id) IS NOT NULL))
            """;

    private static final InvariantQuery COUNTED = violation(
            "parents_miscounted",
            "An execution that waits has counted each of its parents once.",
            WAITING + """
            WHERE f.parents_open + f.parents_succeeded + f.parents_failed + f.parents_skipped
              <> (SELECT count(*) FROM job_edges e WHERE e.child_id = f.execution_id)
              OR f.parents_open <>
            """ + OPEN);

    private static final InvariantQuery FORGOTTEN = violation(
            "waits_for_nothing",
            "No execution waits when all its parents have ended.",
            WAITING + "WHERE f.trigger_rule > 0 AND f.parents_open = 0");

    private static final InvariantQuery DANGLING = violation(
            "edge_without_execution",
            "Every edge leads from an execution that waits to one that is known, or from a job that has waited.",
            """
            WITH few AS MATERIALIZED (
              SELECT child_id, parent_id FROM job_edges ORDER BY child_id DESC, parent_id LIMIT $1::bigint
            )
            SELECT %s AS id FROM few f
            WHERE (SELECT x.execution_id FROM executions x WHERE x.execution_id = f.child_id) IS NULL
              AND (((SELECT l.execution_id FROM exec_live l WHERE l.execution_id = f.child_id) IS NULL
                  AND (SELECT j.job_id FROM jobs j WHERE j.job_id = f.child_id) IS NULL)
                OR ((SELECT l.execution_id FROM exec_live l WHERE l.execution_id = f.child_id) IS NOT NULL
                  AND (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = f.parent_id) IS NULL
                  AND (SELECT x.execution_id FROM executions x WHERE x.execution_id = f.parent_id) IS NULL))
            """.formatted(show("exec_", "f.child_id")));

    static final List<InvariantQuery> ALL = List.of(COUNTED, FORGOTTEN, DANGLING);

    private DependencyInvariants() {}
}
