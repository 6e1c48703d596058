-- ClaimStatement.SHARED alone: $1 int[], $2 bigint[], $3 bigint, $4 bigint, $5 uuid, $6 int, $7 bigint[], $8 boolean[], $9 int[], $10 int[], $11 boolean[], $12 boolean
PREPARE claim_shares (int[], bigint[], bigint, bigint, uuid, int, bigint[], boolean[], int[], int[], boolean[], boolean) AS
WITH due AS MATERIALIZED (
  SELECT found.*
  FROM unnest((SELECT $1::int[]), (SELECT $2::bigint[]), (SELECT $7::bigint[]), (SELECT $8::boolean[]))
      AS share(line, most, aging_ms, aged_first),
    LATERAL (
      SELECT live.*
      FROM unnest((SELECT $9::int[]), (SELECT $10::int[]), (SELECT $11::boolean[])) WITH ORDINALITY
          AS look(priority, steps, aged_first, place),
        LATERAL (
          SELECT execution_id, job_id, lease_token, attempt, started_at, worker_id, visible_at, deferred,
            lane
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
        WHERE j.job_id = live.job_id) ELSE live.config_version END, holds_queue = $12::boolean AND CASE WHEN live.deferred THEN EXISTS (
        SELECT 1 FROM queues q
        WHERE q.queue_id = ((live.lane & 1073741823) >> 7) AND CASE WHEN q.paused_until <= now() THEN q.paused_until ELSE q.resumed_at END > now() - interval '10 seconds'
      ) ELSE true END
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
       j.input::text AS input, j.options::text AS options, j.trace,
       j.trigger_rule IS NOT NULL AS has_parents, claimed.revision <> j.version AS is_changed,
       (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch
FROM claimed LEFT JOIN jobs j ON j.job_id = claimed.job_id;
