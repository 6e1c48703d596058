-- JobInsert.of keyed alone: $1 uuid[], $2 text[], $3 int[], $4 int[], $5 text[], $6 timestamptz[], $7 bigint[], $8 int[], $9 text[], $10 uuid[], $11 text[], $12 text[], $13 text[], $14 bigint[], $15 text[]
PREPARE create_keyed_jobs (uuid[], text[], int[], int[], text[], timestamptz[], bigint[], int[], text[], uuid[], text[], text[], text[], bigint[], text[]) AS
WITH current_endpoints AS MATERIALIZED (
  SELECT name, version, payload_spec_ref FROM endpoints
  WHERE name = ANY((SELECT $2::text[])::text[]) AND set_config('lock_timeout', CASE current_setting('lock_timeout') WHEN '0' THEN '40ms'
      ELSE current_setting('lock_timeout') END, true) IS NOT NULL
  ORDER BY name
  FOR KEY SHARE
), wanted AS MATERIALIZED (
  SELECT asked.*
  FROM unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::text[], $6::timestamptz[], $7::bigint[],
    $8::int[], $9::text[], $10::uuid[], $11::text[], $12::text[],
    $13::text[], $14::bigint[], $15::text[])
    AS asked(id, endpoint, version, spec_version, trigger_type, run_at, delay_ms, lane, key, fingerprint,
      input, tags, trace, flow_id, flow_key)
  JOIN current_endpoints e ON e.name = asked.endpoint AND e.version = asked.version
  LEFT JOIN payload_specs p ON p.name = e.payload_spec_ref
  WHERE coalesce(p.version, 0) = asked.spec_version
), new_keys AS (
  INSERT INTO idempotency_keys (endpoint, idempotency_key, job_id, fingerprint, created_at)
  SELECT endpoint, key, id, fingerprint, now() FROM wanted ORDER BY endpoint, key, id
  ON CONFLICT (endpoint, idempotency_key) DO NOTHING
  RETURNING job_id
), new_jobs AS (
  INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, idempotency_key, input,
    created_at, tags, trace, flow_id, flow_key)
  SELECT id, endpoint, version, trigger_type, lane, key, input::json, now(), string_to_array(tags, ','),
    trace, flow_id, flow_key
  FROM wanted WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE
), flow_keys AS MATERIALIZED (
  SELECT k.flow_id, coalesce(p.fifo, false) AS fifo, coalesce(f.lined, false) AS lined,
    CASE WHEN p.fair THEN 32 - free.n END AS room
  FROM (SELECT DISTINCT flow_id, endpoint FROM wanted WHERE flow_id IS NOT NULL) AS k
  LEFT JOIN flow_limits f ON f.flow_id = k.flow_id
  LEFT JOIN flow_policies p ON p.endpoint = k.endpoint
  LEFT JOIN LATERAL (SELECT count(*)::int FROM (
    SELECT 1 FROM generate_series(0, 7) AS line(number), LATERAL (
      SELECT x.lane, x.run_at, x.execution_id FROM exec_live x
      WHERE x.flow_id = k.flow_id AND x.flow_state = 0 AND x.flow_line = line.number
        AND x.run_at <= now() AND (x.visible_at <= now()) IS TRUE
      LIMIT 32) AS due
    WHERE TRUE
    LIMIT 32) AS few) AS free(n) ON p.fair
), placed AS MATERIALIZED (
  SELECT wanted.*, due.at,
    CASE WHEN wanted.flow_id IS NULL OR due.at > now() THEN 0
      WHEN k.fifo OR k.lined OR row_number() OVER (
        PARTITION BY wanted.flow_id, due.at > now() ORDER BY wanted.id) > k.room THEN 1
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
  WHERE flow_state = 1 AND set_config('lock_timeout', '0', true) IS NOT NULL
  ORDER BY flow_id
  ON CONFLICT (flow_id) DO UPDATE
  SET lined = true, release_at = least(flow_limits.release_at, excluded.release_at)
  WHERE NOT flow_limits.lined OR (flow_limits.release_at > now() + interval '2 seconds'
    AND EXISTS (SELECT 1 FROM queues WHERE (paused_at IS NOT NULL AND coalesce(paused_until > now(), true)))
    AND EXISTS (
      SELECT 1 FROM placed p WHERE p.flow_id = flow_limits.flow_id AND p.flow_state = 1 AND (((p.lane & 1073741823) >> 7) IN (SELECT queue_id FROM queues WHERE (paused_at IS NOT NULL AND coalesce(paused_until > now(), true)))) IS NOT TRUE))
  RETURNING flow_id
)
INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at, flow_id, flow_line,
  flow_state)
SELECT id, id, lane, CASE flow_state WHEN 1 THEN 'infinity' ELSE greatest(at, now()) END, at, now(),
  flow_id, flow_line, flow_state
FROM placed
RETURNING job_id, created_at, run_at, run_at <= now() AS due, (SELECT array_agg(flow_id) FROM new_lines) AS waiting_flow_ids, (SELECT count(*) FROM placed WHERE flow_state = 1) AS parked;
