-- ClaimStatement.PULLED alone: $1 int[], $2 bigint[], $3 bigint, $4 bigint, $5 uuid, $6 int, $7 int[]
PREPARE claim_for_pull_workers (int[], bigint[], bigint, bigint, uuid, int, int[]) AS
WITH due AS MATERIALIZED (
  SELECT found.*
  FROM unnest((SELECT $1::int[]), (SELECT $2::bigint[])) AS share(first, most)
    JOIN queues q ON q.queue_id = ((share.first & 1073741823) >> 7) AND NOT (paused_at IS NOT NULL AND coalesce(paused_until > now(), true)),
    LATERAL (
      SELECT live.*
      FROM unnest((SELECT $7::int[])) WITH ORDINALITY AS look(lane, place),
        LATERAL (
          SELECT execution_id, job_id, lease_token, attempt, started_at, worker_id, visible_at, deferred,
            lane
          FROM exec_live
          WHERE lane = share.first + look.lane AND visible_at <= now()
          ORDER BY visible_at
          LIMIT share.most
          FOR UPDATE SKIP LOCKED
        ) AS live
      ORDER BY look.place
      LIMIT share.most
    ) AS found
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
              - now())::float8 AS expires_in, live.lane
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
SELECT claimed.*, j.endpoint, coalesce(claimed.replayed_version, j.endpoint_version) AS endpoint_version,
       CASE WHEN (sum(octet_length(j.input::text)) OVER first_due > 8000000
  AND row_number() OVER first_due > 1) IS TRUE THEN NULL ELSE j.input::text END AS input,
       (sum(octet_length(j.input::text)) OVER first_due > 8000000
  AND row_number() OVER first_due > 1) IS TRUE AS is_withheld, j.options::text AS options, j.trace,
       j.trigger_rule IS NOT NULL AS has_parents, claimed.revision <> j.version AS is_changed,
       (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch
, j.tags
, CASE WHEN row_number() OVER () = 1 THEN (
    SELECT array_agg(date_part('epoch', now() - greatest(visible_at, now() - interval '24 hours')))
    FROM due
  ) END AS waits,
  CASE WHEN row_number() OVER () = 1 THEN (SELECT count(*) FROM due WHERE lease_token IS NOT NULL)
  END AS rescues_now
FROM claimed LEFT JOIN jobs j ON j.job_id = claimed.job_id
WINDOW first_due AS (ORDER BY (claimed.lane & 7), claimed.run_at, claimed.execution_id);
