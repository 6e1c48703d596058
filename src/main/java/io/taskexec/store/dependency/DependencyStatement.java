package io.taskexec.store.dependency;

import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.store.sql.EventedStatement;

/** The statements that count the ends of parents for their children, release these, and skip them. */
public final class DependencyStatement {
    /**
     * When executions become due that wait for others: never, but apart from the time of those that are parked, so that
     * both can be counted by an index.
     */
    public static final String WAITING_TIME = "timestamptz '" + ExecutionEvent.NOT_READY + "'";

    /** In place of the number of a trigger rule: a run of a workflow waits until its jobs have ended. */
    public static final int RUN = 8;

    static final String IS_ANY = """
            SELECT EXISTS (SELECT 1 FROM ended_parents)
              OR EXISTS (SELECT 1 FROM exec_live WHERE trigger_rule < 0) AS is_any
            """;

    // Arrays of ids give the planner the primary keys, however few rows it believes in, and IS TRUE keeps it from
    // walking through all that waits.
    //
    // A run of a workflow has waited for its own parents before it waits for its jobs. What was counted for the first
    // must not be taken off from the second: the locked rows say which of them they wait for now.
    //
    // Who ends a parent has written its row in the same transaction, and who makes an edge has locked the parent until
    // its commit: so all edges that count are in this snapshot. Rows that another process has taken are left to it. All
    // children are locked in one order, for the next statement, which sees them as they are then.
    //
    // What a crash takes back of this is noted again, since the end of the parent was written before: so no caller
    // waits for the commit. set_config, which says nothing to CockroachDB, holds to the end of the transaction.
    private static final String TAKE_CTES = """
            WITH taken AS (
              DELETE FROM ended_parents
              WHERE execution_id = ANY(ARRAY(%s))
                AND (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL
              RETURNING execution_id, status
            ), sums AS MATERIALIZED (
              SELECT e.child_id, count(*)::int AS ended,
                (count(*) FILTER (WHERE t.status = 'SUCCESS'))::int AS succeeded,
                (count(*) FILTER (WHERE t.status = 'SKIPPED'))::int AS skipped, bool_or(e.name = '') AS of_run
              FROM job_edges e JOIN taken t ON t.execution_id = e.parent_id
              WHERE e.parent_id = ANY(ARRAY(SELECT execution_id FROM taken)) AND NOT e.ended
              GROUP BY e.child_id
            ), locked AS MATERIALIZED (
              SELECT execution_id, trigger_rule FROM exec_live
              WHERE execution_id = ANY(ARRAY(SELECT child_id FROM sums)) AND (trigger_rule > 0) IS TRUE
              ORDER BY execution_id
              FOR UPDATE
            )
            SELECT NULL::uuid AS child_id, count(*)::int AS ended, 0 AS succeeded, 0 AS skipped, false AS of_run
            FROM taken
            UNION ALL SELECT child_id, ended, succeeded, skipped, of_run FROM sums
            UNION ALL SELECT execution_id, NULL::int, 0, 0, trigger_rule = 8 FROM locked
            """;

    /** Takes the notes of some parents, $1. */
    static final String TAKE = TAKE_CTES.formatted(
            "SELECT execution_id FROM ended_parents WHERE execution_id = ANY($1::uuid[]) AND NOT in_parts"
                    + " FOR UPDATE SKIP LOCKED");

    /** Takes any notes, $1 at most. */
    static final String TAKE_ANY = TAKE_CTES.formatted(
            "SELECT execution_id FROM ended_parents WHERE NOT in_parts LIMIT $1::bigint FOR UPDATE SKIP LOCKED");

    /** Of at most $1 notes the parent with the most children that have not counted it. */
    static final String LARGEST = """
            SELECT e.parent_id FROM job_edges e
            WHERE e.parent_id = ANY(ARRAY(SELECT execution_id FROM ended_parents LIMIT $1::bigint)) AND NOT e.ended
            GROUP BY e.parent_id
            ORDER BY count(*) DESC
            LIMIT 1
            """;

    static final String IN_PARTS =
            "SELECT execution_id AS parent_id FROM ended_parents WHERE in_parts LIMIT $1::bigint";

    /**
     * Locks the note of a parent, so that the next statement sees the edges that others have marked, and leaves it to
     * those who count in parts.
     */
    static final String TAKE_APART = "UPDATE ended_parents SET in_parts = true WHERE execution_id = $1::uuid";

    // A mark on the edge says that the end is counted, until the note goes with the last one. The note is locked. What
    // was chosen tells whether that was the last one: of it a run that starts may close edges meanwhile, and retention
    // remove some.
    /** Counts the end of the parent $1 for $2 of its children. */
    static final String TAKE_SOME = """
            WITH chosen AS MATERIALIZED (
              SELECT child_id FROM job_edges WHERE parent_id = $1::uuid AND NOT ended LIMIT $2::bigint
            ), counted AS (
              UPDATE job_edges e SET ended = true
              WHERE e.parent_id = $1::uuid AND NOT e.ended AND e.child_id = ANY(ARRAY(SELECT child_id FROM chosen))
              RETURNING e.child_id, e.name
            ), status AS MATERIALIZED (
              SELECT status FROM ended_parents WHERE execution_id = $1::uuid
            ), last AS (
              DELETE FROM ended_parents
              WHERE execution_id = $1::uuid AND (SELECT count(*) FROM chosen) < $2::bigint
            ), locked AS MATERIALIZED (
              SELECT execution_id, trigger_rule FROM exec_live
              WHERE execution_id = ANY(ARRAY(SELECT child_id FROM counted)) AND (trigger_rule > 0) IS TRUE
              ORDER BY execution_id
              FOR UPDATE
            )
            SELECT NULL::uuid AS child_id, count(*)::int AS ended, 0 AS succeeded, 0 AS skipped, false AS of_run
            FROM chosen
            UNION ALL SELECT c.child_id, 1, CASE s.status WHEN 'SUCCESS' THEN 1 ELSE 0 END,
              CASE s.status WHEN 'SKIPPED' THEN 1 ELSE 0 END, c.name = ''
            FROM counted c, status s
            UNION ALL SELECT execution_id, NULL::int, 0, 0, trigger_rule = 8 FROM locked
            """;

    // A parent that was cancelled or has expired has failed. The number is that of TriggerRule.
    private static final String VERDICT = """
            CASE live.trigger_rule
                WHEN 1 THEN CASE WHEN n.failed + n.skipped > 0 THEN 'SKIP' WHEN n.open = 0 THEN 'READY' END
                WHEN 3 THEN CASE WHEN n.succeeded > 0 THEN 'READY' WHEN n.open = 0 THEN 'SKIP' END
                WHEN 4 THEN CASE WHEN n.failed > 0 THEN 'READY' WHEN n.open = 0 THEN 'SKIP' END
                WHEN 5 THEN CASE WHEN n.failed > 0 THEN 'SKIP' WHEN n.open = 0 THEN 'READY' END
                WHEN 6 THEN CASE WHEN n.succeeded + n.skipped > 0 THEN 'SKIP' WHEN n.open = 0 THEN 'READY' END
                ELSE CASE WHEN n.open = 0 THEN 'READY' END
              END""";

    // The children are locked. One row of values for each keeps the table from being joined with itself, and OFFSET 0
    // keeps each value from being computed wherever it is used. A child without a delay keeps a run time that is to
    // come. Its time to live begins when it is ready. A run of a workflow keeps the times of its start.
    private static final String COUNT_CTES = """
            WITH decided AS (
              UPDATE exec_live live
              SET (parents_open, parents_succeeded, parents_failed, parents_skipped, trigger_rule, run_at, visible_at,
                expires_at, flow_state) = (
                SELECT n.open, n.succeeded, n.failed, n.skipped,
                  CASE v.verdict WHEN 'READY' THEN NULL WHEN 'SKIP' THEN -live.trigger_rule ELSE live.trigger_rule END,
                  CASE WHEN v.verdict = 'READY' AND live.trigger_rule <> 8 THEN v.ready_at ELSE live.run_at END,
                  CASE v.verdict WHEN 'READY' THEN v.ready_at ELSE live.visible_at END,
                  CASE WHEN v.verdict = 'READY' AND live.trigger_rule <> 8 THEN least(live.expires_at, v.ready_at
                      + (SELECT j.ttl_ms FROM jobs j WHERE j.job_id = live.job_id) * interval '1 millisecond')
                    ELSE live.expires_at END,
                  CASE v.verdict WHEN 'READY' THEN 0 ELSE live.flow_state END
                FROM (SELECT array_position($1::uuid[], live.execution_id) AS n OFFSET 0) AS at,
                LATERAL (SELECT ($2::int[])[at.n] AS ended, ($3::int[])[at.n] AS succeeded,
                  ($4::int[])[at.n] AS skipped OFFSET 0) AS sum,
                LATERAL (SELECT live.parents_open - sum.ended AS open,
                  live.parents_succeeded + sum.succeeded AS succeeded,
                  live.parents_failed + sum.ended - sum.succeeded - sum.skipped AS failed,
                  live.parents_skipped + sum.skipped AS skipped OFFSET 0) AS n,
                LATERAL (SELECT %s AS verdict,
                  CASE WHEN live.ready_delay_ms IS NULL THEN greatest(live.run_at, now())
                    ELSE now() + live.ready_delay_ms * interval '1 millisecond' END AS ready_at OFFSET 0) AS v
              )
              WHERE live.execution_id = ANY($1::uuid[]) AND (live.trigger_rule > 0) IS TRUE
              RETURNING live.execution_id, live.job_id, live.run_at, live.trigger_rule, live.started_at
            )
            """.formatted(VERDICT);

    static final EventedStatement COUNT = EventedStatement.of(COUNT_CTES, """
            (execution_id, job_id, kind, attempt, next_run_at)
              SELECT execution_id, job_id, 'READY', 0, run_at FROM decided
              WHERE trigger_rule IS NULL AND started_at IS NULL
            """, """
            SELECT execution_id, run_at, trigger_rule IS NULL AS ready, run_at <= now() AS due FROM decided
            WHERE (trigger_rule > 0) IS NOT TRUE
            """);

    // Nothing waits for a lock here: what another process is skipping, or ends otherwise, is left to it.
    private static final String SKIP_CTES = """
            WITH doomed AS MATERIALIZED (
              SELECT execution_id FROM exec_live WHERE trigger_rule < 0
              LIMIT $1::bigint
              FOR UPDATE SKIP LOCKED
            ), skipped AS (
              DELETE FROM exec_live live
              WHERE live.execution_id = ANY(ARRAY(SELECT execution_id FROM doomed)) AND live.trigger_rule < 0
              RETURNING live.*
            ), history AS (
              INSERT INTO executions (execution_id, job_id, region, lane, status, attempt_count, endpoint_version,
                run_at, completed_at, created_at)
              SELECT execution_id, job_id, region, lane, 'SKIPPED', 0, endpoint_version, run_at, now(), created_at
              FROM skipped
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), region, 0, 'INFO',
                'skipped: its trigger rule cannot hold, since of its parents ' || parents_succeeded::text
                  || ' succeeded, ' || parents_failed::text || ' failed and ' || parents_skipped::text
                  || ' were skipped', now()
              FROM skipped
            )
            """;

    static final EventedStatement SKIP = EventedStatement.of(
            SKIP_CTES.stripTrailing() + EndedParents.of("skipped", "'SKIPPED'"),
            """
            (execution_id, job_id, kind, attempt)
              SELECT execution_id, job_id, 'SKIPPED', 0 FROM skipped
            """,
            "SELECT execution_id" + EndedParents.COLUMN + " FROM skipped\n");

    private DependencyStatement() {}
}
