package io.taskexec.store.invariant;

import static io.taskexec.store.invariant.InvariantQuery.HALF_A_DAY_AGO;
import static io.taskexec.store.invariant.InvariantQuery.show;
import static io.taskexec.store.invariant.InvariantQuery.violation;

import java.util.List;

/** Invariants of deferred executions. */
final class DeferralInvariants {
    // The newest of the index of deferred ones: others have neither a row in it nor a cost here.
    private static final String DEFERRED = """
            WITH few AS MATERIALIZED (
              SELECT execution_id, attempt, lease_token, visible_at FROM exec_live
              WHERE deferred ORDER BY execution_id DESC LIMIT $1::bigint
            )
            SELECT %s AS id FROM few f
            """.formatted(show("exec_", "f.execution_id"));

    private static final InvariantQuery TERMLESS =
            violation("deferred_without_terms", "A deferred execution has the terms of its attempt.", DEFERRED + """
            WHERE (SELECT d.attempt FROM deferrals d WHERE d.execution_id = f.execution_id) IS DISTINCT FROM f.attempt
            """);

    // A minute for the worker that looks after it, and as long as its queue is paused there is none.
    private static final InvariantQuery FORGOTTEN = violation(
            "deferred_past_deadline",
            "A worker looks at a deferred execution no later than its deadline.",
            DEFERRED + """
            WHERE f.lease_token IS NULL AND f.visible_at > (
              SELECT greatest(d.deadline, d.since) + interval '1 minute' FROM deferrals d
              WHERE d.execution_id = f.execution_id)
            """);

    // The newest of the last 12 hours: what went with the partition of a day leaves these rows to the next sweep.
    private static final InvariantQuery ORPHANED =
            violation("orphaned_progress", "Progress, terms and questions belong to an execution.", """
            WITH reported AS MATERIALIZED (
              SELECT execution_id FROM execution_progress WHERE execution_id >= %1$s
              ORDER BY execution_id DESC LIMIT $1::bigint
            ), deferred AS MATERIALIZED (
              SELECT execution_id FROM deferrals WHERE execution_id >= %1$s
              ORDER BY execution_id DESC LIMIT $1::bigint
            ), asked AS MATERIALIZED (
              SELECT execution_id FROM approvals WHERE execution_id >= %1$s
              ORDER BY execution_id DESC LIMIT $1::bigint
            )
            SELECT %2$s AS id FROM (
              SELECT execution_id FROM reported
              UNION SELECT execution_id FROM deferred
              UNION SELECT execution_id FROM asked) AS f
            WHERE (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = f.execution_id) IS NULL
              AND (SELECT x.execution_id FROM executions x WHERE x.execution_id = f.execution_id) IS NULL
            """.formatted(
                            HALF_A_DAY_AGO, show("exec_", "f.execution_id")));

    static final List<InvariantQuery> ALL = List.of(TERMLESS, FORGOTTEN, ORPHANED);

    private DeferralInvariants() {}
}
