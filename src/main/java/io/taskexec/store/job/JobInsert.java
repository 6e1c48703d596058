package io.taskexec.store.job;

import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.flow.FlowPlaces;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LockTimeout;

/** Makes the statement that creates one-shot jobs; parts that no job in it needs are left out, since they cost time. */
public final class JobInsert {
    private JobInsert() {}

    /** Returns the statement with the parts of {@code form}. */
    public static EventedStatement of(JobForm form, HomeRegion region) {
        var ctes = jobs(form, region) + (form.tagged() ? TAGS : "");
        return form.keyed()
                ? EventedStatement.creating(ctes + flow(form), keyed(form, region), returned(form) + FLOW_RETURNED)
                : EventedStatement.creating(ctes, plain(form, region), returned(form));
    }

    // The join with endpoints makes a job possible only on the version that its input was checked against. The lock
    // keeps the endpoint from being deleted until this is committed; creators do not wait for each other, nor for a new
    // version. It is taken once for each endpoint, in the order of their names. Keys are inserted in order, so that two
    // batches with the same keys wait for each other instead of deadlocking; of those in one batch the oldest id gets
    // the key, and none waits for long for that of a transaction of an application. IS TRUE keeps the planner from
    // making a join of IN: it takes wanted for one row, and would compare each with each instead of hashing.
    private static String jobs(JobForm form, HomeRegion region) {
        return """
            WITH current_endpoints AS MATERIALIZED (
              SELECT name, version, payload_spec_ref FROM endpoints
              WHERE name = ANY($2::text[]) AND %8$s
              ORDER BY name
              FOR KEY SHARE
            ), %6$swanted AS MATERIALIZED (
              SELECT %3$sasked.*
              FROM unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::text[], $6::timestamptz[], $7::bigint[],
                $8::int[], $9::text[], $10::uuid[], $11::text[], $12::text[],
                $13::text[]%4$s)
                AS asked(id, endpoint, version, spec_version, trigger_type, run_at, delay_ms, lane, key, fingerprint,
                  input, tags, trace%5$s)
              JOIN current_endpoints e ON e.name = asked.endpoint AND e.version = asked.version
              LEFT JOIN payload_specs p ON p.name = e.payload_spec_ref
              WHERE coalesce(p.version, 0) = asked.spec_version%7$s
            ), new_keys AS (
              INSERT INTO idempotency_keys (endpoint, idempotency_key, job_id, fingerprint, created_at)
              SELECT endpoint, key, id, fingerprint, now() FROM wanted ORDER BY endpoint, key, id
              ON CONFLICT (endpoint, idempotency_key) DO NOTHING
              RETURNING job_id
            ), new_jobs AS (
              INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, idempotency_key, input,
                created_at, tags, trace%1$s)
              SELECT id, endpoint, version, trigger_type, lane, key, input::json, now(), string_to_array(tags, ','),
                trace%2$s
              FROM wanted WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE
            )""".formatted(
                        form.jobColumns() + region.column(),
                        form.jobValues() + region.value(),
                        form.starter(),
                        form.askedArrays(),
                        form.askedColumns(),
                        form.queued() ? queues(form.queues()) + ", " : "",
                        form.queued() ? inQueues(form.queues()) : "",
                        LockTimeout.OF_MANY.condition());
    }

    // The lock keeps a queue that a job names from being deleted until this is committed; one that was deleted is not
    // found. Neither a pause nor a change of its settings is waited for. Queues are locked in the order of their
    // numbers, before or after the endpoints: no transaction waits for an endpoint in this way while it keeps a queue
    // from us.
    private static String queues(String numbers) {
        return """
            current_queues AS MATERIALIZED (
              SELECT queue_id FROM queues WHERE queue_id = ANY(%s::int[]) AND deleted_at IS NULL
              ORDER BY queue_id
              FOR KEY SHARE
            )""".formatted(numbers);
    }

    private static String inQueues(String numbers) {
        var queue = Lanes.queue("asked.lane");
        return """

                AND (%1$s <> ALL(%2$s::int[]) OR %1$s = ANY(ARRAY(SELECT queue_id FROM current_queues)))
            """.stripTrailing().formatted(queue, numbers);
    }

    private static final String TAGS = """
            , new_tags AS (
              INSERT INTO job_tags (tag, job_id)
              SELECT unnest(string_to_array(wanted.tags, ',')), wanted.id FROM wanted
              WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE AND wanted.tags IS NOT NULL
            )
            """;

    private static String plain(JobForm form, HomeRegion region) {
        return """
            INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at%1$s%3$s)
            SELECT wanted.id, wanted.id, wanted.lane, %5$s, due.run_at, now()%2$s%4$s
            FROM wanted,
              LATERAL (SELECT coalesce(wanted.run_at, now() + wanted.delay_ms * interval '1 millisecond'))
                AS due(run_at)
            WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE
            """.formatted(
                        region.column(),
                        region.value(),
                        form.executionColumns(),
                        form.executionValues("wanted", "due.run_at"),
                        form.visibleAt("wanted", "greatest(due.run_at, now())"));
    }

    private static String returned(JobForm form) {
        return "job_id, created_at, run_at, run_at <= now() AS due"
                + (form.dependent() ? ", visible_at = " + DependencyStatement.WAITING_TIME + " AS waits" : "")
                + (form.starting()
                        ? ", lease_token IS NOT NULL AS started, config_version,"
                                + " (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch"
                        : "");
    }

    // Parks what has to wait for others of its key. A claim decides on the rest, and gives counters to a key without.
    // Of limits only those are locked in whose line something is parked: in their order, and when all idempotency keys
    // have been written. A release that comes later sees what is parked here. One that came earlier has taken the mark
    // of the line away, if it left no other: then a release follows, and is noted in case that we die before it. Such a
    // row may be newer than what this statement sees, so it is changed by the insertion that meets it.
    private static String flow(JobForm form) {
        return """
            , flow_keys AS MATERIALIZED (
              SELECT k.flow_id, coalesce(p.fifo, false) AS fifo, coalesce(f.lined, false) AS lined,
                CASE WHEN p.fair THEN %1$d - free.n END AS room
              FROM (SELECT DISTINCT flow_id, endpoint FROM wanted WHERE flow_id IS NOT NULL) AS k
              LEFT JOIN flow_limits f ON f.flow_id = k.flow_id
              LEFT JOIN flow_policies p ON p.endpoint = k.endpoint
              LEFT JOIN LATERAL (%2$s) AS free(n) ON p.fair
            ), placed AS MATERIALIZED (
              SELECT wanted.*, due.at,
                CASE%3$s WHEN wanted.flow_id IS NULL OR due.at > now() THEN 0
                  WHEN k.fifo OR k.lined OR row_number() OVER (
                    PARTITION BY wanted.flow_id, due.at > now()%4$s ORDER BY wanted.id) > k.room THEN 1
                  ELSE 0 END::smallint AS flow_state,
                CASE WHEN wanted.flow_id IS NULL THEN NULL WHEN k.fifo THEN 0 ELSE wanted.lane & 7 END::smallint
                  AS flow_line
              FROM wanted
              LEFT JOIN flow_keys k ON k.flow_id = wanted.flow_id,
                LATERAL (SELECT coalesce(wanted.run_at, now() + wanted.delay_ms * interval '1 millisecond'))
                  AS due(at)
              WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE
            ), new_lines AS (
              INSERT INTO flow_limits (flow_id, endpoint, flow_key, lined, release_at)
              SELECT DISTINCT flow_id, endpoint, flow_key, true, now() FROM placed
              WHERE flow_state = 1 AND %5$s
              ORDER BY flow_id
              ON CONFLICT (flow_id) DO UPDATE
              SET lined = true, release_at = least(flow_limits.release_at, excluded.release_at)
              WHERE NOT flow_limits.lined OR (flow_limits.release_at > now() + interval '2 seconds'
                AND EXISTS (SELECT 1 FROM queues WHERE %6$s)
                AND EXISTS (
                  SELECT 1 FROM placed p WHERE p.flow_id = flow_limits.flow_id AND p.flow_state = 1 AND %7$s))
              RETURNING flow_id
            )
            """.formatted(
                        FlowReleases.WINDOW,
                        FlowPlaces.free("k.flow_id", "now()", FlowReleases.WINDOW + "", "TRUE"),
                        form.dependent()
                                ? " WHEN wanted.flow_id IS NOT NULL AND wanted.rule IS NOT NULL THEN "
                                        + FlowPlaces.WAITS_FOR_PARENTS
                                : "",
                        form.dependent() ? ", wanted.rule IS NULL" : "",
                        LockTimeout.NONE,
                        Lanes.IS_PAUSED,
                        FlowPlaces.isOpen("p.lane"));
    }

    private static String keyed(JobForm form, HomeRegion region) {
        return """
            INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at, flow_id, flow_line,
              flow_state%1$s%3$s)
            SELECT id, id, lane, %5$s, at, now(),
              flow_id, flow_line, flow_state%2$s%4$s
            FROM placed
            """.formatted(
                region.column(),
                region.value(),
                form.executionColumns(),
                form.executionValues("placed", "at"),
                form.visibleAt("placed", "CASE flow_state WHEN 1 THEN 'infinity' ELSE greatest(at, now()) END"));
    }

    private static final String FLOW_RETURNED = ", (SELECT array_agg(flow_id) FROM new_lines) AS waiting_flow_ids,"
            + " (SELECT count(*) FROM placed WHERE flow_state = 1) AS parked";
}
