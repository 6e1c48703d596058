package io.taskexec.store.execution;

import io.taskexec.store.metrics.ClaimMetrics;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Lanes;

/**
 * The statements that claim due executions. Parameters: $1 lanes, $2 most executions, $3 milliseconds of the lease, $4
 * its token, $5 the worker, $6 most rescues. Those that claim by shares have others: $1 lane groups and for each of
 * them $2 most executions, $7 milliseconds of a step of aging or 0, $8 whether what has aged comes first. The looks at
 * the lanes of a group follow in their order: $9 priorities, $10 steps waited, $11 for which groups they are, by $8.
 * $12 tells whether executions count for the limits of their queues from now on. Those that claim from marks have parts
 * of the lanes: $7 the places of their first lanes, $8 of their last ones, $9 the milliseconds to look back, or null.
 * Those that claim for pull workers have $1 first lanes of queues and for each of them $2 most executions, $7 the lanes
 * to look at, from the first one on. The one that claims what is deferred in full queues has $1 queues, $7 regions and
 * $8 the lowest priority.
 */
public final class ClaimStatement {
    static final String FAILS_WHEN_LOST = """
            (SELECT v.on_worker_lost = 'fail' FROM jobs j
                      JOIN endpoint_versions v
                        ON v.name = j.endpoint AND v.version = coalesce(live.endpoint_version, j.endpoint_version)
                      WHERE j.job_id = live.job_id)""";

    // After an attempt that was begun, or may have been, only the deadline counts.
    private static final String EXPIRES_IN = """
            extract(epoch FROM CASE WHEN live.attempt > 1 THEN live.deadline ELSE live.expires_at END
                          - now())::float8""";

    // The CTE is MATERIALIZED because a LIMIT in a subquery may be run once per outer row and so claim more than the
    // limit. The recheck of visible_at keeps the statement right where SKIP LOCKED is only a hint; IS TRUE keeps it
    // from being looked up in an index, by which all that is due would be read. A lease that was still set when the row
    // came up again means that its worker is gone: that attempt is recorded as LOST, and after too many of them no new
    // attempt is begun. A counter at its end stays there: one row that cannot be written would keep all that are
    // claimed with it from being claimed. Configs are looked for once, since to look for that of each row costs a sixth
    // of the claim, also where no endpoint has one.
    //
    // Of an execution that was lost, and of no other, is asked whether its endpoint wants it to fail then: it counts as
    // lost too often at once.
    //
    // An event is written of what was lost, before that of what begins, and none of an attempt that is not begun.
    //
    // What is deferred is looked after, which is no attempt, and nothing is lost when that ends early.
    //
    // The row of an execution is the latest, since it is locked, but its job is read as it was when the statement
    // began. Where a change of the job was committed in between, their revisions differ, and the job is read again.
    //
    // What has expired is claimed too, and its worker ends it: by how long an attempt may begin, which is counted by
    // the clock of the database.
    private static final String CTES = """
            WITH due AS MATERIALIZED (
            %2$s)%3$s, claimed AS (
              UPDATE exec_live live
              SET visible_at = now() + $3::bigint * interval '1 millisecond', lease_token = $4::bigint,
                  worker_id = $5::uuid,
                  started_at = CASE WHEN live.deferred THEN live.started_at ELSE now() END,
                  rescues = CASE WHEN live.lease_token IS NULL OR live.deferred THEN live.rescues
                    WHEN %1$s THEN 32767
                    ELSE least(live.rescues + 1, 32767) END,
                  attempt = CASE WHEN live.deferred OR live.rescues > $6::int THEN live.attempt
                    WHEN live.lease_token IS NULL THEN least(live.attempt + 1, 32767)
                    WHEN live.rescues >= $6::int OR %1$s THEN live.attempt
                    ELSE least(live.attempt + 1, 32767) END,
                  config_version = CASE WHEN live.config_version IS NULL AND EXISTS (SELECT 1 FROM configs) THEN (
                    SELECT f.version FROM jobs j
                    JOIN endpoint_versions v
                      ON v.name = j.endpoint AND v.version = coalesce(live.endpoint_version, j.endpoint_version)
                    JOIN configs f ON f.name = v.config_ref
                    WHERE j.job_id = live.job_id) ELSE live.config_version END%4$s
              WHERE live.execution_id = ANY(ARRAY(SELECT execution_id FROM %5$s))
                AND (live.visible_at <= now()) IS TRUE
              RETURNING live.execution_id, live.job_id, live.attempt, live.failures, live.rescues, live.config_version,
                        live.run_at, live.endpoint_version AS replayed_version, live.has_children, live.deferred,
                        live.revision,
                        %7$s AS expires_in%6$s
            ), lost AS (
              INSERT INTO attempts (execution_id, attempt_number, status, worker_id, started_at, completed_at)
              SELECT execution_id, attempt, 'LOST', worker_id, started_at, now() FROM due
              WHERE lease_token IS NOT NULL AND NOT deferred
              ON CONFLICT (execution_id, attempt_number) DO NOTHING
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), attempt, 'WARN', 'lost: its worker died or lost its lease', now()
              FROM due WHERE lease_token IS NOT NULL AND NOT deferred
            )
            """;

    private static final String OF_LANES = """
            SELECT execution_id, job_id, lease_token, attempt, started_at, worker_id, visible_at, deferred%s
            FROM exec_live
            WHERE lane = ANY($1::int[]) AND visible_at <= now()
            ORDER BY lane, visible_at
            LIMIT $2::bigint
            FOR UPDATE SKIP LOCKED
            """;

    // The same, part after part of the lanes, each from its mark on: LaneMarks.
    private static final String OF_PARTS = """
            SELECT found.*
            FROM unnest((SELECT $7::int[]), (SELECT $8::int[]), (SELECT $9::bigint[])) AS part(first, last, millis),
              LATERAL (
                SELECT execution_id, job_id, lease_token, attempt, started_at, worker_id, visible_at, deferred, lane
                FROM exec_live
                WHERE lane = ANY((SELECT $1::int[])[part.first:part.last]) AND visible_at <= now()
                  AND visible_at >= coalesce(now() - part.millis * interval '1 millisecond', '-infinity')
                ORDER BY lane, visible_at
                LIMIT $2::bigint
                FOR UPDATE SKIP LOCKED
              ) AS found
            LIMIT $2::bigint
            """;

    // One look at a lane after the other, until the group has its share. Executions are locked as they are found, and
    // what is locked is skipped, so no order of locks is needed. A look of a group that ages is at what has waited for
    // so many steps and not for one more, or for any time when there is no priority left to gain: no execution is in
    // two looks, since what a statement has locked itself it would find again.
    private static final String OF_SHARES = """
            SELECT found.*
            FROM unnest((SELECT $1::int[]), (SELECT $2::bigint[]), (SELECT $7::bigint[]), (SELECT $8::boolean[]))
                AS share(line, most, aging_ms, aged_first),
              LATERAL (
                SELECT live.*
                FROM unnest((SELECT $9::int[]), (SELECT $10::int[]), (SELECT $11::boolean[])) WITH ORDINALITY
                    AS look(priority, steps, aged_first, place),
                  LATERAL (
                    SELECT execution_id, job_id, lease_token, attempt, started_at, worker_id, visible_at, deferred,
                      lane%s
                    FROM exec_live
                    WHERE lane = share.line + look.priority
                      AND visible_at <= now() - look.steps * share.aging_ms * interval '1 millisecond'
                      AND visible_at >= CASE WHEN share.aging_ms = 0 OR look.steps = look.priority THEN '-infinity'
                        ELSE now() - (look.steps + 1) * share.aging_ms * interval '1 millisecond'
                          + interval '1 microsecond' END
                    ORDER BY visible_at
                    LIMIT share.most
                    FOR UPDATE SKIP LOCKED
                  ) AS live
                WHERE look.aged_first = share.aged_first AND (look.steps = 0 OR share.aging_ms > 0)
                ORDER BY look.place
                LIMIT share.most
              ) AS found
            """;

    // What is locked is the latest row, of which the conditions are checked again: where the deferral has ended
    // meanwhile, the execution needs room. Only what is deferred is read, in an index that has nothing else.
    private static final String OF_DEFERRED = """
            SELECT execution_id, job_id, lease_token, attempt, started_at, worker_id, visible_at, deferred
            FROM exec_live
            WHERE (visible_at <= now()) IS TRUE AND %s
            ORDER BY visible_at
            LIMIT $2::bigint
            FOR UPDATE SKIP LOCKED
            """.formatted(deferredOf("$1", "$7", "$8"));

    private static final String EVENTS = """
            (execution_id, job_id, kind, attempt)
              SELECT event.execution_id, event.job_id, event.kind, event.attempt FROM (
                SELECT execution_id, job_id, 'STARTED' AS kind, attempt FROM claimed
                WHERE rescues <= $6::int AND NOT deferred
                UNION ALL
                SELECT execution_id, job_id, 'LOST', attempt FROM due
                WHERE lease_token IS NOT NULL AND NOT deferred
                  AND (execution_id IN (SELECT execution_id FROM claimed)) IS TRUE) AS event
              ORDER BY event.attempt
            """;

    private static final String INPUT = "j.input::text AS input";

    // Of hundreds of large inputs an answer has a few, and the process has no room for all of them.
    private static final String FEW_INPUTS = """
            CASE WHEN %1$s THEN NULL ELSE j.input::text END AS input,
                   %1$s AS is_withheld""".formatted("""
            (sum(octet_length(j.input::text)) OVER first_due > %d
              AND row_number() OVER first_due > 1) IS TRUE""".formatted(PulledClaims.MOST_CHARACTERS));

    private static final String FIRST_DUE = "WINDOW first_due AS (ORDER BY %s, claimed.run_at, claimed.execution_id)\n"
            .formatted(Lanes.priorityOf("claimed.lane"));

    private static final String COLUMNS = """
            SELECT claimed.*, j.endpoint, coalesce(claimed.replayed_version, j.endpoint_version) AS endpoint_version,
                   %s, j.options::text AS options, j.trace,
                   j.trigger_rule IS NOT NULL AS has_parents, claimed.revision <> j.version AS is_changed,
                   (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch""";

    private static final String PLAIN_CTES = plain(OF_LANES.formatted(""), "", "");

    /** Claims what has no flow key. */
    public static final EventedStatement PLAIN = EventedStatement.of(PLAIN_CTES, EVENTS, claimed(INPUT, ""));

    /** The same, which also tells what is measured of it. */
    public static final EventedStatement PLAIN_MEASURED =
            EventedStatement.of(PLAIN_CTES, EVENTS, claimed(INPUT, ClaimMetrics.COLUMNS));

    // There is no interval since an infinite time.
    private static final String LAST = """
            , CASE WHEN row_number() OVER () = 1 THEN (SELECT max(lane) FROM due) END AS last_lane,
              CASE WHEN row_number() OVER () = 1 THEN (
                SELECT date_part('epoch', now() - max(visible_at)) FROM due
                WHERE lane = (SELECT max(lane) FROM due) HAVING max(visible_at) > now() - interval '24 hours'
              ) END AS last_wait
            """;

    private static final String MARKED_CTES = plain(OF_PARTS, "", "");

    /** Claims what has no flow key and is due since the mark of its lane, and tells what comes last. */
    public static final EventedStatement MARKED = EventedStatement.of(MARKED_CTES, EVENTS, claimed(INPUT, LAST));

    /** The same, which also tells what is measured of it. */
    public static final EventedStatement MARKED_MEASURED =
            EventedStatement.of(MARKED_CTES, EVENTS, claimed(INPUT, LAST + ClaimMetrics.COLUMNS));

    // A look after what is deferred begins nothing, so it counts for no limit. What has waited for the end of a pause
    // gets its slots step by step all the same.
    private static final String HOLDS_QUEUE = """
            , holds_queue = $12::boolean AND CASE WHEN live.deferred THEN EXISTS (
                    SELECT 1 FROM queues q
                    WHERE q.queue_id = %s AND %s
                  ) ELSE true END""".formatted(Lanes.queue("live.lane"), QueueRoom.STARTS_SLOWLY);

    private static final String SHARED_CTES = plain(OF_SHARES.formatted(""), HOLDS_QUEUE, ", live.lane");

    /** Claims what has no flow key, of each lane group its share. */
    public static final EventedStatement SHARED = EventedStatement.of(SHARED_CTES, EVENTS, claimed(INPUT, ""));

    /** The same, which also tells what is measured of it. */
    public static final EventedStatement SHARED_MEASURED =
            EventedStatement.of(SHARED_CTES, EVENTS, claimed(INPUT, ClaimMetrics.COLUMNS));

    // Locks rows in one order: executions, which are never waited for, and then the limits of their keys by id. A row
    // of keys is the latest, since it is locked. All else is as it was when the statement began, so nothing here looks
    // for other executions of a key. The n-th free execution of a key takes the n-th place and the n-th token. A token
    // that comes within a second is waited for in the lane, and not spent yet. What is parked, and the line of a fair
    // key that has given executions away, wait for a release. It is noted in release_at, in case that we die before it.
    private static final String VERDICTS = """
            , keys AS MATERIALIZED (
              SELECT f.flow_id, f.open, p.fifo, least(p.max_concurrency, p.adaptive_limit) - f.open AS room,
                p.rate_spacing_us * interval '1 microsecond' AS spacing,
                greatest(f.tat, now()) - (p.rate_burst - 1) * p.rate_spacing_us * interval '1 microsecond'
                  AS first_token,
                coalesce(p.fair AND f.lined, false) AS fair_line
              FROM flow_limits f LEFT JOIN flow_policies p ON p.endpoint = f.endpoint
              WHERE f.flow_id = ANY(ARRAY(SELECT flow_id FROM due WHERE flow_state = 0))
              ORDER BY f.flow_id
              FOR UPDATE OF f
            ), ranked AS (
              SELECT execution_id, flow_id, flow_state,
                row_number() OVER (PARTITION BY flow_id, flow_state ORDER BY visible_at, execution_id) AS place
              FROM due
            ), verdicts AS MATERIALIZED (
              SELECT r.execution_id, r.flow_id, r.flow_state, keys.fifo, t.token_at,
                CASE WHEN r.flow_state = 2 THEN 'GO'
                  WHEN keys.flow_id IS NULL THEN 'UNKNOWN'
                  WHEN keys.fifo OR r.place > keys.room THEN 'PARK'
                  WHEN t.token_at IS NULL OR t.token_at <= now() THEN 'GO'
                  WHEN t.token_at <= now() + interval '1 second' THEN 'LATER'
                  ELSE 'PARK' END AS verdict
              FROM ranked r
              LEFT JOIN keys ON keys.flow_id = r.flow_id AND r.flow_state = 0
              LEFT JOIN LATERAL (SELECT keys.first_token + (r.place - 1) * keys.spacing) AS t(token_at) ON true
            ), going AS (
              SELECT execution_id FROM verdicts WHERE verdict = 'GO'
            ), waiting AS (
              UPDATE exec_live live
              SET flow_state = CASE v.verdict WHEN 'PARK' THEN 1 ELSE 0 END,
                  flow_line = CASE WHEN v.fifo THEN 0 ELSE live.lane & 7 END,
                  visible_at = CASE v.verdict WHEN 'PARK' THEN 'infinity' ELSE v.token_at END,
                  lease_token = NULL, worker_id = NULL
              FROM verdicts v
              WHERE v.execution_id = live.execution_id AND v.verdict IN ('PARK', 'LATER')
            )""";

    private static final String FLOW_COLUMNS = ", flow_id, flow_state";

    // The counters are changed without a join: a row that another transaction has changed since this statement began is
    // looked up once more then, and a join has been seen to lose it (PostgreSQL 18).
    private static final String COUNTS = """
            , sums AS MATERIALIZED (
              SELECT array_agg(sum.flow_id) AS flow_ids, array_agg(sum.went) AS went,
                array_agg(sum.went * keys.spacing) AS spent, array_agg(sum.parked) AS parked,
                array_agg(sum.parked OR keys.fair_line) AS waits
              FROM (SELECT v.flow_id, bool_or(v.verdict = 'PARK') AS parked,
                      (count(*) FILTER (WHERE (v.execution_id IN (SELECT execution_id FROM claimed)) IS TRUE))::int
                        AS went
                    FROM verdicts v
                    WHERE v.flow_state = 0 AND v.verdict <> 'UNKNOWN'
                    GROUP BY v.flow_id) AS sum
              JOIN keys ON keys.flow_id = sum.flow_id
              WHERE sum.went > 0 OR sum.parked
            ), counted AS (
              UPDATE flow_limits f
              SET open = f.open + ((SELECT went FROM sums))[%1$s],
                  tat = coalesce(greatest(f.tat, now()) + ((SELECT spent FROM sums))[%1$s], f.tat),
                  lined = f.lined OR ((SELECT parked FROM sums))[%1$s],
                  release_at = CASE WHEN ((SELECT waits FROM sums))[%1$s] THEN least(f.release_at, now())
                    ELSE f.release_at END
              WHERE f.flow_id = ANY((SELECT flow_ids FROM sums)::bigint[])
              RETURNING f.flow_id, ((SELECT waits FROM sums))[%1$s] AS waits
            )
            """.formatted("array_position((SELECT flow_ids FROM sums), f.flow_id)");

    private static final String KEYED_CTES = keyed(OF_LANES.formatted(FLOW_COLUMNS), "", ", live.flow_id");

    /** Claims what has a flow key, as far as the limits of its key let it, and parks the rest. */
    public static final EventedStatement KEYED = EventedStatement.of(KEYED_CTES, EVENTS, keyedClaimed(INPUT, "", ""));

    /** The same, which also tells what is measured of it. */
    public static final EventedStatement KEYED_MEASURED =
            EventedStatement.of(KEYED_CTES, EVENTS, keyedClaimed(INPUT, "", ClaimMetrics.KEYED_COLUMNS));

    private static final String KEYED_SHARED_CTES =
            keyed(OF_SHARES.formatted(FLOW_COLUMNS), HOLDS_QUEUE, ", live.flow_id, live.lane");

    private static final String SEEN_LANES = """
            , (SELECT array_agg(lane) FROM due) AS seen_lanes""";

    /** Claims what has a flow key, of each lane group its share. */
    public static final EventedStatement KEYED_SHARED =
            EventedStatement.of(KEYED_SHARED_CTES, EVENTS, keyedClaimed(INPUT, SEEN_LANES, ""));

    /** The same, which also tells what is measured of it. */
    public static final EventedStatement KEYED_SHARED_MEASURED =
            EventedStatement.of(KEYED_SHARED_CTES, EVENTS, keyedClaimed(INPUT, SEEN_LANES, ClaimMetrics.KEYED_COLUMNS));

    /**
     * Claims what is deferred and due in full queues. It has its place of its flow key already, and keeps it.
     */
    public static final EventedStatement DEFERRED = EventedStatement.of(
            plain(OF_DEFERRED, ", holds_queue = false", ", live.flow_id"),
            EVENTS,
            claimed(INPUT, ClaimMetrics.COLUMNS));

    private static final String PULLED_COLUMNS = ", j.tags\n";

    /** Claims for pull workers what has no flow key. */
    public static final EventedStatement PULLED = EventedStatement.of(
            plain(ofQueues(""), "", ", live.lane"),
            EVENTS,
            claimed(FEW_INPUTS, PULLED_COLUMNS + ClaimMetrics.COLUMNS) + FIRST_DUE);

    /** Claims for pull workers what has a flow key, as far as the limits of its key let it. */
    public static final EventedStatement KEYED_PULLED = EventedStatement.of(
            keyed(ofQueues(FLOW_COLUMNS), "", ", live.flow_id, live.lane"),
            EVENTS,
            keyedClaimed(FEW_INPUTS, "", PULLED_COLUMNS + ClaimMetrics.KEYED_COLUMNS) + FIRST_DUE);

    private ClaimStatement() {}

    // As by shares, but of whole queues, each in the order of the priorities. A pause counts from its commit on.
    private static String ofQueues(String columns) {
        return """
                SELECT found.*
                FROM unnest((SELECT $1::int[]), (SELECT $2::bigint[])) AS share(first, most)
                  JOIN queues q ON q.queue_id = %2$s AND NOT %3$s,
                  LATERAL (
                    SELECT live.*
                    FROM unnest((SELECT $7::int[])) WITH ORDINALITY AS look(lane, place),
                      LATERAL (
                        SELECT execution_id, job_id, lease_token, attempt, started_at, worker_id, visible_at, deferred,
                          lane%1$s
                        FROM exec_live
                        WHERE lane = share.first + look.lane AND visible_at <= now()
                        ORDER BY visible_at
                        LIMIT share.most
                        FOR UPDATE SKIP LOCKED
                      ) AS live
                    ORDER BY look.place
                    LIMIT share.most
                  ) AS found
                """.formatted(columns, Lanes.queue("share.first"), Lanes.IS_PAUSED);
    }

    /**
     * The SQL for whether an execution is deferred and a worker of these regions may look after it although its queue
     * is full. A pause counts from its commit on.
     */
    static String deferredOf(String queues, String regions, String leastUrgent) {
        return """
            deferred AND %1$s = ANY(ARRAY(
                SELECT q.queue_id FROM queues q
                WHERE q.queue_id = ANY(%2$s::int[]) AND NOT %3$s AND (%4$s) IS NOT TRUE))
              AND %5$s = ANY(%6$s::int[]) AND %7$s <= %8$s::int""".formatted(
                        Lanes.queue("lane"),
                        queues,
                        Lanes.IS_PAUSED,
                        QueueRoom.STARTS_SLOWLY,
                        Lanes.region("lane"),
                        regions,
                        Lanes.priorityOf("lane"),
                        leastUrgent);
    }

    private static String plain(String due, String set, String returned) {
        return CTES.formatted(FAILS_WHEN_LOST, due.indent(2), "", set, "due", returned, EXPIRES_IN);
    }

    private static String keyed(String due, String set, String returned) {
        return CTES.formatted(
                                FAILS_WHEN_LOST,
                                due.indent(2),
                                VERDICTS,
                                ", flow_state = 2" + set,
                                "going",
                                returned,
                                EXPIRES_IN)
                        .stripTrailing()
                + COUNTS;
    }

    private static String claimed(String input, String measured) {
        return COLUMNS.formatted(input) + """

                %sFROM claimed LEFT JOIN jobs j ON j.job_id = claimed.job_id
                """.formatted(measured);
    }

    /** There is a row also when nothing was claimed; the first one tells of all. */
    private static String keyedClaimed(String input, String seen, String measured) {
        return COLUMNS.formatted(input) + """
            ,
                   seen.*%2$s
            FROM (SELECT count(*) AS seen, count(*) FILTER (WHERE verdict = 'PARK') AS parked,
                    count(*) FILTER (WHERE verdict = 'LATER') AS delayed,
                    array_agg(DISTINCT flow_id) FILTER (WHERE verdict = 'UNKNOWN') AS unknown_flow_ids,
                    (SELECT array_agg(flow_id) FROM counted WHERE waits) AS waiting_flow_ids%1$s
                  FROM verdicts) AS seen
            LEFT JOIN claimed ON true
            LEFT JOIN jobs j ON j.job_id = claimed.job_id
            """.formatted(seen, measured.stripTrailing());
    }
}
