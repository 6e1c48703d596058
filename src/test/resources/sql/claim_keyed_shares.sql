-- ClaimStatement.KEYED_SHARED alone: $1 int[], $2 bigint[], $3 bigint, $4 bigint, $5 uuid, $6 int, $7 bigint[], $8 boolean[], $9 int[], $10 int[], $11 boolean[], $12 boolean
PREPARE claim_keyed_shares (int[], bigint[], bigint, bigint, uuid, int, bigint[], boolean[], int[], int[], boolean[], boolean) AS
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
            lane, flow_id, flow_state
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
), keys AS MATERIALIZED (
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
        WHERE j.job_id = live.job_id) ELSE live.config_version END, flow_state = 2, holds_queue = $12::boolean AND CASE WHEN live.deferred THEN EXISTS (
        SELECT 1 FROM queues q
        WHERE q.queue_id = ((live.lane & 1073741823) >> 7) AND CASE WHEN q.paused_until <= now() THEN q.paused_until ELSE q.resumed_at END > now() - interval '10 seconds'
      ) ELSE true END
  WHERE live.execution_id = ANY(ARRAY(SELECT execution_id FROM going))
    AND (live.visible_at <= now()) IS TRUE
  RETURNING live.execution_id, live.job_id, live.attempt, live.failures, live.rescues, live.config_version,
            live.run_at, live.endpoint_version AS replayed_version, live.has_children, live.deferred,
            live.revision,
            extract(epoch FROM CASE WHEN live.attempt > 1 THEN live.deadline ELSE live.expires_at END
              - now())::float8 AS expires_in, live.flow_id, live.lane
), lost AS (
  INSERT INTO attempts (execution_id, attempt_number, status, worker_id, started_at, completed_at)
  SELECT execution_id, attempt, 'LOST', worker_id, started_at, now() FROM due
  WHERE lease_token IS NOT NULL AND NOT deferred
  ON CONFLICT (execution_id, attempt_number) DO NOTHING
), logs AS (
  INSERT INTO execution_logs (execution_id, log_id, attempt_number, level, message, logged_at)
  SELECT execution_id, gen_random_uuid(), attempt, 'WARN', 'lost: its worker died or lost its lease', now()
  FROM due WHERE lease_token IS NOT NULL AND NOT deferred
), sums AS MATERIALIZED (
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
  SET open = f.open + ((SELECT went FROM sums))[array_position((SELECT flow_ids FROM sums), f.flow_id)],
      tat = coalesce(greatest(f.tat, now()) + ((SELECT spent FROM sums))[array_position((SELECT flow_ids FROM sums), f.flow_id)], f.tat),
      lined = f.lined OR ((SELECT parked FROM sums))[array_position((SELECT flow_ids FROM sums), f.flow_id)],
      release_at = CASE WHEN ((SELECT waits FROM sums))[array_position((SELECT flow_ids FROM sums), f.flow_id)] THEN least(f.release_at, now())
        ELSE f.release_at END
  WHERE f.flow_id = ANY((SELECT flow_ids FROM sums)::bigint[])
  RETURNING f.flow_id, ((SELECT waits FROM sums))[array_position((SELECT flow_ids FROM sums), f.flow_id)] AS waits
)
SELECT claimed.*, j.endpoint, coalesce(claimed.replayed_version, j.endpoint_version) AS endpoint_version,
       j.input::text AS input, j.options::text AS options, j.trace,
       j.trigger_rule IS NOT NULL AS has_parents, claimed.revision <> j.version AS is_changed,
       (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch,
       seen.*
FROM (SELECT count(*) AS seen, count(*) FILTER (WHERE verdict = 'PARK') AS parked,
        count(*) FILTER (WHERE verdict = 'LATER') AS delayed,
        array_agg(DISTINCT flow_id) FILTER (WHERE verdict = 'UNKNOWN') AS unknown_flow_ids,
        (SELECT array_agg(flow_id) FROM counted WHERE waits) AS waiting_flow_ids, (SELECT array_agg(lane) FROM due) AS seen_lanes
      FROM verdicts) AS seen
LEFT JOIN claimed ON true
LEFT JOIN jobs j ON j.job_id = claimed.job_id;
