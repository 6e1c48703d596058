package io.taskexec.store.execution;

import io.taskexec.store.dependency.EndedParents;
import io.taskexec.store.flow.FlowPlaces;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Fence;

/** The statement that ends executions as SKIPPED whose condition does not hold. */
final class SkipStatement {
    private static final String CTES = """
            WITH skipped AS (
              DELETE FROM exec_live live
              WHERE %s
              RETURNING live.*, live.attempt - 1 AS attempts
            ), history AS (
              INSERT INTO executions (execution_id, job_id, region, lane, status, attempt_count, config_version,
                endpoint_version, run_at, completed_at, created_at)
              SELECT execution_id, job_id, region, lane, 'SKIPPED', attempts, config_version, endpoint_version, run_at,
                now(), created_at
              FROM skipped
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), region, attempts, 'INFO', 'skipped: its condition does not hold',
                now()
              FROM skipped
            )
            """.formatted(Fence.HELD).stripTrailing()
            + FlowPlaces.ofRemoved("skipped").stripTrailing()
            + EndedParents.of("skipped", "'SKIPPED'");

    /** Ends what a worker has claimed and has not begun. Parameters are those of {@link Fence}. */
    static final EventedStatement CLAIMED = EventedStatement.of(CTES, """
            (execution_id, job_id, kind, attempt)
              SELECT execution_id, job_id, 'SKIPPED', attempts FROM skipped
            """, """
            SELECT execution_id, lease_token AS token,
              (SELECT array_agg(DISTINCT flow_id) FROM skipped WHERE flow_id IS NOT NULL) AS waiting_flow_ids%s
            FROM skipped
            """.formatted(EndedParents.COLUMN));

    private SkipStatement() {}
}
