package io.taskexec.store.execution;

import io.taskexec.store.dependency.EndedParents;
import io.taskexec.store.flow.FlowPlaces;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.sql.Lanes;

/**
 * The statements that record results. Each has a form for executions that others depend on, by a place of a flow key or
 * as parents, since parts that change nothing cost time too.
 */
public final class ResultStatement {
    private static final String END_CTES = """
            WITH removed AS (
              DELETE FROM exec_live live
              WHERE %s
              RETURNING live.*, %s AS n
            ), ended AS (
              SELECT removed.*, ($3::text[])[n] AS status, ($6::text[])[n] AS log FROM removed
            ), history AS (
              INSERT INTO executions (execution_id, job_id, region, lane, status, attempt_count, config_version,
                endpoint_version, worker_id, output, error, run_at, started_at, completed_at, created_at)
              SELECT execution_id, job_id, region, lane, status, attempt, config_version, endpoint_version, worker_id,
                ($4::text[])[n]::json, ($5::text[])[n]::json, run_at, started_at, now(), created_at
              FROM ended
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), region, attempt, 'ERROR', log, now()
              FROM ended WHERE log IS NOT NULL
            ), stats AS (
              INSERT INTO job_stats (job_id, hour, status, bucket, count, total_ms)
              SELECT job_id, date_trunc('hour', now()), status, ceil(ln(ms + 1) * 10)::smallint, count(*),
                sum(ms)::bigint
              FROM ended,
                LATERAL (SELECT greatest(extract(epoch FROM now() - ended.started_at)::float8 * 1000, 0))
                  AS duration(ms)
              WHERE execution_id <> job_id
              GROUP BY 1, 3, 4
              ORDER BY 1, 3, 4
              ON CONFLICT (job_id, hour, status, bucket)
              DO UPDATE SET count = job_stats.count + excluded.count, total_ms = job_stats.total_ms + excluded.total_ms
            )
            """;

    // Children may come while it runs. Their creation changes the row, so that one of the two is first.
    private static final String PLAIN_END = END_CTES.formatted(Fence.HELD + " AND NOT live.has_children", Fence.PLACE);

    private static final String REMOVED = "SELECT execution_id, lease_token AS token%s FROM removed";

    private static final String CALLBACKS = ", (SELECT count(*) FROM callbacks) AS callbacks";

    private static final String ENDED = """
            (execution_id, job_id, kind, attempt, error_type, next_run_at)
              SELECT execution_id, job_id, status, attempt, ($5::text[])[n]::json ->> 'type', NULL::timestamptz
              FROM ended
            """;

    public static final EventedStatement END = EventedStatement.of(PLAIN_END, ENDED, REMOVED.formatted(""));

    public static final EventedStatement END_WITH_CALLBACKS = EventedStatement.of(
            PLAIN_END.stripTrailing() + ResultCallback.CREATE,
            ENDED + ResultCallback.CREATED,
            REMOVED.formatted(CALLBACKS));

    private static final String LINKED_END =
            END_CTES.formatted(Fence.HELD, Fence.PLACE).stripTrailing()
                    + FlowPlaces.ofRemoved("removed").stripTrailing()
                    + EndedParents.of("ended", "status");

    private static final String FOLLOWED = FlowPlaces.WAITING + EndedParents.COLUMN;

    public static final EventedStatement END_LINKED =
            EventedStatement.of(LINKED_END, ENDED, REMOVED.formatted(FOLLOWED));

    public static final EventedStatement END_LINKED_WITH_CALLBACKS = EventedStatement.of(
            LINKED_END.stripTrailing() + ResultCallback.CREATE,
            ENDED + ResultCallback.CREATED,
            REMOVED.formatted(CALLBACKS + FOLLOWED));

    // An attempt has begun, so that only the deadline counts. When the next one would come too late, there is nothing
    // to wait for: then it expires at once.
    private static final String DEADLINE = """
            CASE WHEN live.deadline IS NULL THEN NULL
                    WHEN now() + ($4::bigint[])[%1$s] * interval '1 millisecond' >= live.deadline
                    THEN least(live.deadline, now())
                    ELSE live.deadline END""".formatted(Fence.PLACE);

    private static final String RETRY_CTES = """
            WITH %6$sreleased AS (
              UPDATE exec_live live
              SET visible_at = now() + ($4::bigint[])[%2$s] * interval '1 millisecond', lease_token = NULL,
                  worker_id = NULL,
                  failures = live.failures + CASE WHEN ($3::text[])[%2$s] = 'FAILED' THEN 1 ELSE 0 END,
                  callback_from = CASE WHEN ($3::text[])[%2$s] = 'FAILED' THEN least(live.attempt + 1, 32767)
                    ELSE live.callback_from END,
                  deferred = false, expires_at = %5$s, deadline = %5$s%3$s
              WHERE %1$s
              RETURNING live.execution_id, live.job_id, live.region, live.attempt, live.started_at, live.visible_at,
                        %2$s AS n%4$s
            ), past_attempts AS (
              INSERT INTO attempts
                (execution_id, attempt_number, region, status, worker_id, error, started_at, completed_at)
              SELECT execution_id, attempt, region, ($3::text[])[n], ($6::uuid[])[n], ($5::text[])[n]::json, started_at,
                now()
              FROM released
              ON CONFLICT (execution_id, attempt_number) DO UPDATE
              SET status = excluded.status, worker_id = excluded.worker_id, error = excluded.error,
                  completed_at = excluded.completed_at
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, ($8::uuid[])[n], region, attempt, 'WARN', ($7::text[])[n], now() FROM released
              ON CONFLICT (execution_id, log_id) DO UPDATE SET attempt_number = excluded.attempt_number,
                message = excluded.message, logged_at = excluded.logged_at
            )
            """;

    private static final String RETRIED = """
            (execution_id, job_id, kind, attempt, error_type, next_run_at)
              SELECT execution_id, job_id,
                CASE WHEN ($3::text[])[n] = 'FAILED' THEN 'RETRYING' ELSE ($3::text[])[n] END,
                attempt, ($5::text[])[n]::json ->> 'type', visible_at
              FROM released
            """;

    private static final String RELEASED = """
            SELECT execution_id, ($2::bigint[])[n] AS token%s FROM released
            """;

    public static final EventedStatement RETRY = EventedStatement.of(
            RETRY_CTES.formatted(Fence.HELD, Fence.PLACE, "", "", DEADLINE, ""), RETRIED, RELEASED.formatted(""));

    private static final String KEEP = ", flow_state = " + FlowPlaces.KEPT_STATE;
    private static final String KEPT = ", live.flow_id, live.flow_state";

    // What a callback ends may have no place of its key: its attempt was interrupted, and it waits for the next one.
    private static final String PLACES = """
            held AS MATERIALIZED (
              SELECT live.execution_id, live.flow_state FROM exec_live live
              WHERE %s
              ORDER BY live.execution_id
              FOR UPDATE
            ),
            """.formatted(Fence.HELD);

    // Reads the CTE before it changes anything: what a statement has changed it does not lock any more.
    private static final String HELD_BEFORE =
            Fence.HELD + "\n    AND live.execution_id = ANY(ARRAY(SELECT held.execution_id FROM held))";

    private static final String KEPT_PLACE = """
            , live.flow_id,
                        CASE WHEN (SELECT held.flow_state FROM held WHERE held.execution_id = live.execution_id) = 2
                          THEN live.flow_state ELSE -1 END AS flow_state""";

    public static final EventedStatement RETRY_KEYED = EventedStatement.of(
            RETRY_CTES
                            .formatted(HELD_BEFORE, Fence.PLACE, KEEP, KEPT_PLACE, DEADLINE, PLACES)
                            .stripTrailing()
                    + FlowPlaces.ofChanged("released"),
            RETRIED,
            RELEASED.formatted(FlowPlaces.WAITING));

    public static final String WAIT = """
            UPDATE exec_live live
            SET visible_at = now() + ($3::bigint[])[%2$s] * interval '1 millisecond', lease_token = NULL,
                worker_id = NULL, %3$s
            WHERE %1$s
            RETURNING live.execution_id, ($2::bigint[])[%2$s] AS token
            """.formatted(Fence.HELD, Fence.PLACE, LeaseStore.NOT_BEGUN);

    public static final String WAIT_KEYED = """
            WITH released AS (
              UPDATE exec_live live
              SET visible_at = now() + ($3::bigint[])[%2$s] * interval '1 millisecond', lease_token = NULL,
                  worker_id = NULL, %7$s%3$s
              WHERE %1$s
              RETURNING live.execution_id, ($2::bigint[])[%2$s] AS token%4$s
            )%5$s
            SELECT execution_id, token%6$s FROM released
            """.formatted(
                    Fence.HELD,
                    Fence.PLACE,
                    ", flow_state = " + FlowPlaces.UNBEGUN_STATE,
                    KEPT,
                    FlowPlaces.ofChanged("released").strip(),
                    FlowPlaces.WAITING,
                    LeaseStore.NOT_BEGUN);

    // Rows of executions are locked before the limits of their keys, as elsewhere. The parked execution gets the key of
    // its endpoint, $3 by place, in the lanes of executions with keys. A release follows, and is noted in case that we
    // die before it.
    public static final String PARK = """
            WITH parked AS (
              UPDATE exec_live live
              SET visible_at = 'infinity', attempt = live.attempt - 1, lease_token = NULL, worker_id = NULL,
                  started_at = NULL, lane = live.lane - %3$d, flow_id = ($3::bigint[])[%2$s],
                  flow_line = live.lane & 7, flow_state = 1
              WHERE %1$s AND live.flow_id IS NULL
              RETURNING live.execution_id, live.flow_id, ($4::text[])[%2$s] AS endpoint, ($2::bigint[])[%2$s] AS token
            ), lines AS (
              INSERT INTO flow_limits (flow_id, endpoint, flow_key, lined, release_at)
              SELECT DISTINCT flow_id, endpoint, '', true, now() FROM parked
              ORDER BY flow_id
              ON CONFLICT (flow_id) DO UPDATE
              SET lined = true, release_at = least(flow_limits.release_at, excluded.release_at)
              WHERE NOT flow_limits.lined
              RETURNING flow_id
            )
            SELECT execution_id, token, (SELECT array_agg(flow_id) FROM lines) AS waiting_flow_ids FROM parked
            """.formatted(Fence.HELD, Fence.PLACE, Lanes.KEYED);

    private ResultStatement() {}
}
