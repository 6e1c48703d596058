package io.taskexec.store.invariant;

import static io.taskexec.store.invariant.InvariantQuery.show;
import static io.taskexec.store.invariant.InvariantQuery.violation;

import io.taskexec.store.execution.ExpiryStatement;
import io.taskexec.store.region.HeartbeatStore;
import io.taskexec.store.sql.Lanes;
import java.util.List;

/** Invariants of executions that have not ended. Looked at are those that come up next in each lane. */
final class QueueInvariants {
    // Along the index that claims use, so that neither a backlog nor what is due next year costs anything.
    private static final String LINE = """
            WITH RECURSIVE %s, line AS MATERIALIZED (
              SELECT l.*,
                min(CASE WHEN l.lease_token IS NULL THEN l.visible_at END) OVER (PARTITION BY l.lane) AS first_due
              FROM lanes, LATERAL (
                SELECT execution_id, job_id, region, lane, visible_at, lease_token FROM exec_live
                WHERE lane = lanes.lane
                ORDER BY visible_at
                LIMIT $1::bigint
              ) AS l
            )
            """.formatted(Lanes.OCCUPIED);

    private static final String EXECUTION = "SELECT " + show("exec_", "l.execution_id") + " AS id FROM line AS l ";

    // Whether a worker lived is asked for that minute and not for the present one, so that a database may be looked
    // at that no process has used for days. What waits behind others in its lane waits as they do, and in a paused
    // queue until the end of the pause. A worker whose slots are taken, or that is under pressure, claims it later.
    private static final InvariantQuery LEASES = violation(
            "lease_unreclaimed",
            "While a worker of its region lives and has room, and its queue runs, a lease that has run out is claimed"
                    + " again within a minute.",
            LINE + EXECUTION + """
            WHERE l.lease_token IS NOT NULL AND (l.first_due IS NULL OR l.visible_at <= l.first_due)
              AND EXISTS (SELECT 1 FROM workers w, queues q
                WHERE q.max_concurrency IS NULL AND q.rate_limit IS NULL AND NOT q.pulled
                  AND w.region = l.region AND w.started_at < l.visible_at AND q.queue_id = %s
                  AND (q.paused_at IS NULL OR q.paused_until IS NOT NULL)
                  AND (w.used_slots >= w.slots) IS NOT TRUE
                  AND coalesce((w.activity ->> 'least_urgent')::int, 7) >= (l.lane & 7)
                  AND w.last_seen_at
                    > greatest(l.visible_at, q.resumed_at, q.paused_until) + interval '60 seconds')
            """.formatted(Lanes.queue("l.lane")));

    private static final InvariantQuery ENDED = violation(
            "ended_in_queue", "An execution that has ended is no longer in the queue.", LINE + EXECUTION + """
            WHERE (SELECT x.execution_id FROM executions x WHERE x.execution_id = l.execution_id) IS NOT NULL
            """);

    private static final InvariantQuery WITHOUT_JOB = violation(
            "queued_without_job",
            "Every execution in the queue has its job.",
            LINE + EXECUTION + "WHERE (SELECT j.job_id FROM jobs j WHERE j.job_id = l.job_id) IS NULL");

    // Where none is registered yet, the first process gets the number 0, and with it what was imported.
    private static final InvariantQuery WITHOUT_REGION = violation(
            "queued_without_region",
            "Every execution in the queue is in a lane of a region that exists.",
            LINE + EXECUTION + """
            WHERE (SELECT r.region FROM region_status r WHERE r.number = %s) IS NULL
              AND EXISTS (SELECT 1 FROM region_status)
            """.formatted(Lanes.region("l.lane")));

    // Nothing is claimed from such a queue.
    private static final InvariantQuery IN_DELETED_QUEUE = violation(
            "queued_in_deleted_queue",
            "Every execution in the queue is in a queue that was not deleted.",
            LINE + EXECUTION + """
            WHERE EXISTS (SELECT 1 FROM queues q WHERE q.queue_id = %s AND q.deleted_at IS NOT NULL)
            """.formatted(Lanes.queue("l.lane")));

    // What was begun may be elsewhere while it is deferred, and until its next attempt. A replay is moved when it is
    // claimed.
    private static final InvariantQuery MISPLACED = violation(
            "queued_at_wrong_workers",
            "An execution that has not begun is in the queue of a WORKER endpoint if, and only if, its own is one.",
            LINE + EXECUTION + """
            WHERE (SELECT v.endpoint_type = 'WORKER' FROM exec_live x
                JOIN jobs j ON j.job_id = x.job_id
                JOIN endpoint_versions v ON v.name = j.endpoint AND v.version = j.endpoint_version
                WHERE x.execution_id = l.execution_id AND x.attempt = 0 AND x.endpoint_version IS NULL)
              <> (SELECT q.pulled FROM queues q WHERE q.queue_id = %s)
            """.formatted(Lanes.queue("l.lane")));

    // What runs goes on when the cap becomes lower, so only what began since then must keep it.
    private static final InvariantQuery CAPPED = violation(
            "queue_over_cap",
            "No queue has more executions at once that began since its last change than its cap.",
            """
            SELECT q.name AS id FROM queues q
            WHERE q.max_concurrency IS NOT NULL AND q.deleted_at IS NULL
              AND q.max_concurrency < (SELECT count(*) FROM (
                SELECT 1 FROM exec_live l
                WHERE l.holds_queue AND l.lease_token IS NOT NULL AND l.visible_at > now()
                  AND %s = q.queue_id AND l.started_at > q.updated_at + interval '1 second'
                LIMIT $1::bigint) AS holders)
            LIMIT $1::bigint
            """.formatted(Lanes.queue("l.lane")));

    // What lost its worker is looked at above. Measured by when a scheduler was last seen to live, as with schedules.
    private static final InvariantQuery EXPIRED = violation(
            "expired_in_queue",
            "While a scheduler lives, an execution that waits and has expired is ended within a minute.",
            "SELECT " + show("exec_", "l.execution_id") + """
             AS id
            FROM (
              SELECT live.execution_id, %s AS expired_at
              FROM exec_live live
              WHERE live.expires_at < now() - interval '60 seconds' AND live.lease_token IS NULL
                AND NOT live.deferred
              ORDER BY live.expires_at
              LIMIT $1::bigint
            ) AS l
            WHERE l.expired_at < (SELECT max(last_beat_at) FROM region_heartbeats WHERE component = '%s')
              - interval '60 seconds'
            """.formatted(ExpiryStatement.TIME, HeartbeatStore.SETTLED));

    static final List<InvariantQuery> ALL =
            List.of(LEASES, ENDED, WITHOUT_JOB, WITHOUT_REGION, IN_DELETED_QUEUE, MISPLACED, CAPPED, EXPIRED);

    private QueueInvariants() {}
}
