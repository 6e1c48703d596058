package io.taskexec.store.invariant;

import static io.taskexec.store.invariant.InvariantQuery.show;
import static io.taskexec.store.invariant.InvariantQuery.violation;

import java.util.List;

/** Invariants of deferred executions. */
final class DeferralInvariants {
    private static final InvariantQuery TERMLESS =
            violation("deferred_without_terms", "A deferred execution has the terms of its attempt.", """
            SELECT %s AS id FROM exec_live f
            WHERE f.deferred
              AND (SELECT d.attempt FROM deferrals d WHERE d.execution_id = f.execution_id) IS DISTINCT FROM f.attempt
            LIMIT $1::bigint
            """.formatted(
                            show("exec_", "f.execution_id")));

    // A minute for the worker that looks after it, and as long as its queue is paused there is none.
    private static final InvariantQuery FORGOTTEN = violation(
            "deferred_past_deadline",
            "A worker looks at a deferred execution no later than its deadline.",
            """
            SELECT %s AS id FROM exec_live f
            WHERE f.deferred AND f.lease_token IS NULL AND f.visible_at > (
              SELECT greatest(d.deadline, d.since) + interval '1 minute' FROM deferrals d
              WHERE d.execution_id = f.execution_id)
            LIMIT $1::bigint
            """.formatted(show("exec_", "f.execution_id")));

    private static final InvariantQuery ORPHANED =
            violation("orphaned_progress", "Progress, terms and questions belong to an execution.", """
            SELECT %s AS id FROM (
              SELECT p.execution_id FROM execution_progress p
              UNION ALL SELECT d.execution_id FROM deferrals d
              UNION ALL SELECT a.execution_id FROM approvals a) AS f
            WHERE (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = f.execution_id) IS NULL
              AND (SELECT x.execution_id FROM executions x WHERE x.execution_id = f.execution_id) IS NULL
            LIMIT $1::bigint
            """.formatted(
                            show("exec_", "f.execution_id")));

    static final List<InvariantQuery> ALL = List.of(TERMLESS, FORGOTTEN, ORPHANED);

    private DeferralInvariants() {}
}
