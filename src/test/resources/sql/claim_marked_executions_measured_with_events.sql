-- ClaimStatement.MARKED_MEASURED withEvents: $1 int[], $2 bigint, $3 bigint, $4 bigint, $5 uuid, $6 int, $7 int[], $8 int[], $9 bigint[]
PREPARE claim_marked_executions_measured_with_events (int[], bigint, bigint, bigint, uuid, int, int[], int[], bigint[]) AS
WITH due AS MATERIALIZED (
  SELECT found.*
  FROM unnest((SELECT $7::int[]), (SELECT $8::int[]), (SELECT $9::bigint[])) AS part(first, last, millis),
    LATERAL (
      SELECT execution_id, job_id, lease_token, attempt, started_at, worker_id, visible_at, deferred, lane
      FROM exec_live
      WHERE lane = ANY((SELECT $1::int[])[part.first:part.last]) AND visible_at <= now()
        AND visible_at >= coalesce(now() - part.millis * interval '1 millisecond', '-infinity')
      ORDER BY lane, visible_at
      LIMIT (SELECT $2::bigint)
      FOR UPDATE SKIP LOCKED
    ) AS found
  LIMIT (SELECT $2::bigint)
), claimed AS (
  UPDATE exec_live live
  SET visible_at = now() + $3::bigint * interval '1 millisecond', lease_token = $4::bigint,
      worker_id = $5::uuid,
      started_at = CASE WHEN live.deferred THEN live.started_at ELSE now() END,
      rescues = CASE WHEN live.lease_token IS NULL OR live.deferred THEN live.rescues
        WHEN (SELECT v.on_worker_lost = 'fail' FROM jobs j
          JOIN endpoint_versions v
            ON v.name = j.endpoint AND v.version = coalesce(live.endpoint_version, j.endpoint_version)
          WHERE j.job_id = live.job_id) THEN 32767
        ELSE least(live.rescues + 1, 32767) END,
      attempt = CASE WHEN live.deferred OR live.rescues > $6::int THEN live.attempt
        WHEN live.lease_token IS NULL THEN least(live.attempt + 1, 32767)
        WHEN live.rescues >= $6::int OR (SELECT v.on_worker_lost = 'fail' FROM jobs j
          JOIN endpoint_versions v
            ON v.name = j.endpoint AND v.version = coalesce(live.endpoint_version, j.endpoint_version)
          WHERE j.job_id = live.job_id) THEN live.attempt
        ELSE least(live.attempt + 1, 32767) END,
      config_version = CASE WHEN live.config_version IS NULL AND EXISTS (SELECT 1 FROM configs) THEN (
        SELECT f.version FROM jobs j
        JOIN endpoint_versions v
          ON v.name = j.endpoint AND v.version = coalesce(live.endpoint_version, j.endpoint_version)
        JOIN configs f ON f.name = v.config_ref
        WHERE j.job_id = live.job_id) ELSE live.config_version END
  WHERE live.execution_id = ANY(ARRAY(SELECT execution_id FROM due))
    AND (live.visible_at <= now()) IS TRUE
  RETURNING live.execution_id, live.job_id, live.attempt, live.failures, live.rescues, live.config_version,
            live.run_at, live.endpoint_version AS replayed_version, live.has_children, live.deferred,
            live.revision,
            extract(epoch FROM CASE WHEN live.attempt > 1 THEN live.deadline ELSE live.expires_at END
              - now())::float8 AS expires_in
), lost AS (
  INSERT INTO attempts (execution_id, attempt_number, status, worker_id, started_at, completed_at)
  SELECT execution_id, attempt, 'LOST', worker_id, started_at, now() FROM due
  WHERE lease_token IS NOT NULL AND NOT deferred
  ON CONFLICT (execution_id, attempt_number) DO NOTHING
), logs AS (
  INSERT INTO execution_logs (execution_id, log_id, attempt_number, level, message, logged_at)
  SELECT execution_id, gen_random_uuid(), attempt, 'WARN', 'lost: its worker died or lost its lease', now()
  FROM due WHERE lease_token IS NOT NULL AND NOT deferred
), events AS (
  INSERT INTO event_outbox (execution_id, job_id, kind, attempt)
  SELECT event.execution_id, event.job_id, event.kind, event.attempt FROM (
    SELECT execution_id, job_id, 'STARTED' AS kind, attempt FROM claimed
    WHERE rescues <= $6::int AND NOT deferred
    UNION ALL
    SELECT execution_id, job_id, 'LOST', attempt FROM due
    WHERE lease_token IS NOT NULL AND NOT deferred
      AND (execution_id IN (SELECT execution_id FROM claimed)) IS TRUE) AS event
  ORDER BY event.attempt
)
SELECT claimed.*, j.endpoint, coalesce(claimed.replayed_version, j.endpoint_version) AS endpoint_version,
       j.input::text AS input, j.options::text AS options, j.trace,
       j.trigger_rule IS NOT NULL AS has_parents, claimed.revision <> j.version AS is_changed,
       (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch
, CASE WHEN row_number() OVER () = 1 THEN (SELECT max(lane) FROM due) END AS last_lane,
  CASE WHEN row_number() OVER () = 1 THEN (
    SELECT date_part('epoch', now() - max(visible_at)) FROM due
    WHERE lane = (SELECT max(lane) FROM due) HAVING max(visible_at) > now() - interval '24 hours'
  ) END AS last_wait
, CASE WHEN row_number() OVER () = 1 THEN (
    SELECT array_agg(date_part('epoch', now() - greatest(visible_at, now() - interval '24 hours')))
    FROM due
  ) END AS waits,
  CASE WHEN row_number() OVER () = 1 THEN (SELECT count(*) FROM due WHERE lease_token IS NOT NULL)
  END AS rescues_now
FROM claimed LEFT JOIN jobs j ON j.job_id = claimed.job_id;
