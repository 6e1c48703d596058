package io.taskexec.store.execution;

import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.sql.Lanes;

/** The statements that leave an execution to its receiver. It keeps its place of its flow key. */
public final class DeferralStatement {
    // A receiver may have asked for more time before its answer came here. What a pull worker has deferred is looked
    // after by workers of our own, in the first queue: pull workers may not ask before its time is over.
    private static final String DEFER_CTES = """
            WITH deferred AS (
              UPDATE exec_live live
              SET visible_at = now() + ($3::bigint[])[%2$s] * interval '1 millisecond', lease_token = NULL,
                  deferred = true, lane = live.lane - CASE
                    WHEN (SELECT q.pulled FROM queues q WHERE q.queue_id = %3$s) THEN %4$s ELSE 0 END
              WHERE %1$s
              RETURNING live.execution_id, live.job_id, live.region, live.attempt, %2$s AS n
            ), terms AS (
              INSERT INTO deferrals AS known (execution_id, attempt, mode, poll_every_ms, poll_url, heartbeat_ms, since,
                deadline, heard_at)
              SELECT execution_id, attempt, ($4::text[])[n], ($5::bigint[])[n], ($6::text[])[n], ($7::bigint[])[n],
                now(), now() + ($8::bigint[])[n] * interval '1 millisecond', now()
              FROM deferred
              ON CONFLICT (execution_id) DO UPDATE
              SET attempt = excluded.attempt, mode = excluded.mode, poll_every_ms = excluded.poll_every_ms,
                  poll_url = excluded.poll_url, heartbeat_ms = excluded.heartbeat_ms, since = excluded.since,
                  heard_at = excluded.heard_at,
                  deadline = CASE WHEN known.attempt = excluded.attempt
                    THEN greatest(known.deadline, excluded.deadline) ELSE excluded.deadline END
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), region, attempt, 'INFO', ($9::text[])[n], now() FROM deferred
            )
            """.formatted(
                    Fence.HELD, Fence.PLACE, Lanes.queue("live.lane"), Lanes.firstOfQueue(Lanes.queue("live.lane")));

    private static final String LEFT = "SELECT execution_id, ($2::bigint[])[n] AS token FROM deferred\n";

    static final EventedStatement DEFER = EventedStatement.of(DEFER_CTES, """
            (execution_id, job_id, kind, attempt)
              SELECT execution_id, job_id, 'DEFERRED', attempt FROM deferred
            """, LEFT);

    /** Leaves it to its receiver once more. */
    static final String STAY = """
            UPDATE exec_live live
            SET visible_at = now() + ($3::bigint[])[%2$s] * interval '1 millisecond', lease_token = NULL
            WHERE %1$s AND live.deferred
            RETURNING live.execution_id, ($2::bigint[])[%2$s] AS token
            """.formatted(Fence.HELD, Fence.PLACE);

    private DeferralStatement() {}
}
