package io.taskexec.store.execution;

import io.taskexec.store.dependency.EndedParents;
import io.taskexec.store.flow.FlowPlaces;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.sql.Lanes;

/** The statements that end executions as EXPIRED. Both give back the places of flow keys, as a cancellation does. */
public final class ExpiryStatement {
    // The row says nothing of an attempt, since none has ended with it: those before have rows of their own.
    private static final String END = """
            , history AS (
              INSERT INTO executions (execution_id, job_id, region, lane, status, attempt_count, config_version,
                endpoint_version, run_at, completed_at, created_at)
              SELECT execution_id, job_id, region, lane, 'EXPIRED', attempts, config_version, endpoint_version, run_at,
                now(), created_at
              FROM expired
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), region, attempts, 'WARN',
                CASE WHEN attempts = 0 THEN 'expired: no attempt had begun in time'
                  ELSE 'expired: its deadline came before the next attempt' END, now()
              FROM expired
            ), stats AS (
              INSERT INTO job_stats (job_id, hour, status, bucket, count, total_ms)
              SELECT job_id, date_trunc('hour', now()), 'EXPIRED', 0, count(*), 0
              FROM expired
              WHERE execution_id <> job_id
              GROUP BY job_id
              ORDER BY job_id
              ON CONFLICT (job_id, hour, status, bucket) DO UPDATE SET count = job_stats.count + excluded.count
            )
            """.stripTrailing()
            + FlowPlaces.ofRemoved("expired").stripTrailing()
            + EndedParents.of("expired", "'EXPIRED'");

    private static final String FOLLOWED = """
            , (SELECT array_agg(DISTINCT flow_id) FROM expired WHERE flow_id IS NOT NULL) AS waiting_flow_ids%s
            FROM expired
            """.formatted(EndedParents.COLUMN);

    /**
     * Ends what a worker has claimed and has not begun: the attempt of the claim is not counted. Parameters are those
     * of {@link Fence}.
     */
    public static final EventedStatement CLAIMED = EventedStatement.of(
            """
            WITH expired AS (
              DELETE FROM exec_live live
              WHERE %s
              RETURNING live.*, live.attempt - 1 AS attempts
            )
            """.formatted(Fence.HELD).stripTrailing() + END,
            """
            (execution_id, job_id, kind, attempt)
              SELECT execution_id, job_id, 'EXPIRED', attempts FROM expired
            """,
            "SELECT execution_id, lease_token AS token, attempts" + FOLLOWED);

    /** When an execution, called live, expires: after an attempt that has begun, or may have, by its deadline alone. */
    public static final String TIME = "CASE WHEN live.attempt > 0 THEN live.deadline ELSE live.expires_at END";

    // Of a worker that was lost. Where the endpoint wants it to fail then, the next claim sees to that.
    private static final String WAITS = "(live.lease_token IS NULL OR (live.visible_at <= now() AND %s IS NOT TRUE))"
            .formatted(ClaimStatement.FAILS_WHEN_LOST);

    // Locks executions in any order, since it waits for none of them: what a claim, a cancellation or another process
    // has locked is left to it, and seen again if it is still there. Then the limits of keys in their order. Under READ
    // COMMITTED the locked row is the latest, and is checked once more: one that was claimed since is not in the list.
    // A release that comes at the same time has passed over what is removed here, so one follows for each key.
    private static final String DUE_CTES = """
            WITH late AS MATERIALIZED (
              SELECT live.execution_id
              FROM exec_live live
              WHERE live.expires_at <= now() AND %1$s <= now() AND %2$s AND NOT live.deferred
              ORDER BY live.expires_at
              LIMIT $1::bigint
              FOR UPDATE OF live SKIP LOCKED
            ), expired AS (
              DELETE FROM exec_live live
              WHERE live.execution_id = ANY(ARRAY(SELECT execution_id FROM late))
                AND (%1$s <= now() AND NOT live.deferred
                  AND (live.lease_token IS NULL OR live.visible_at <= now())) IS TRUE
              RETURNING live.*, live.attempt AS attempts
            ), lost AS (
              INSERT INTO attempts (execution_id, attempt_number, region, status, worker_id, started_at, completed_at)
              SELECT execution_id, attempt, region, 'LOST', worker_id, started_at, now() FROM expired
              WHERE lease_token IS NOT NULL
              ON CONFLICT (execution_id, attempt_number) DO NOTHING
            )
            """.formatted(TIME, WAITS).stripTrailing();

    /** Ends what waits and has expired, and what lost its worker: at most $1. */
    public static final EventedStatement DUE =
            EventedStatement.of(DUE_CTES + END, """
            (execution_id, job_id, kind, attempt)
              SELECT event.execution_id, event.job_id, event.kind, event.attempt FROM (
                SELECT execution_id, job_id, 'LOST' AS kind, attempts AS attempt, 0 AS place FROM expired
                WHERE lease_token IS NOT NULL
                UNION ALL
                SELECT execution_id, job_id, 'EXPIRED', attempts, 1 FROM expired) AS event
              ORDER BY event.place
            """, "SELECT execution_id, attempts" + FOLLOWED);

    /**
     * The SQL for the time to live of an execution; null for none.
     *
     * @param job a row with {@code ttl_ms} and {@code lane}, by which that of the queue is found
     */
    public static String ttl(String job) {
        return """
            coalesce(%1$s.ttl_ms, (SELECT q.ttl_ms FROM queues q WHERE q.queue_id = %2$s))
                * interval '1 millisecond'""".formatted(job, Lanes.queue(job + ".lane"));
    }

    private ExpiryStatement() {}
}
