-- JobInsert.of starting alone: $1 uuid[], $2 text[], $3 int[], $4 int[], $5 text[], $6 timestamptz[], $7 bigint[], $8 int[], $9 text[], $10 uuid[], $11 text[], $12 text[], $13 text[], $14 uuid[], $15 bigint[], $16 bigint
PREPARE create_started_jobs (uuid[], text[], int[], int[], text[], timestamptz[], bigint[], int[], text[], uuid[], text[], text[], text[], uuid[], bigint[], bigint) AS
WITH current_endpoints AS MATERIALIZED (
  SELECT name, version, payload_spec_ref FROM endpoints
  WHERE name = ANY((SELECT $2::text[])::text[]) AND set_config('lock_timeout', CASE current_setting('lock_timeout') WHEN '0' THEN '40ms'
      ELSE current_setting('lock_timeout') END, true) IS NOT NULL
  ORDER BY name
  FOR KEY SHARE
), wanted AS MATERIALIZED (
  SELECT CASE WHEN asked.worker_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM queues WHERE queue_id = ((asked.lane & 1073741823) >> 7) AND (paused_at IS NOT NULL AND coalesce(paused_until > now(), true))) THEN asked.worker_id END AS starter, asked.*
  FROM unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::text[], $6::timestamptz[], $7::bigint[],
    $8::int[], $9::text[], $10::uuid[], $11::text[], $12::text[],
    $13::text[], $14::uuid[], $15::bigint[])
    AS asked(id, endpoint, version, spec_version, trigger_type, run_at, delay_ms, lane, key, fingerprint,
      input, tags, trace, worker_id, lease_ms)
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
    created_at, tags, trace)
  SELECT id, endpoint, version, trigger_type, lane, key, input::json, now(), string_to_array(tags, ','),
    trace
  FROM wanted WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE
)INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at, lease_token, worker_id, started_at, attempt, config_version)
SELECT wanted.id, wanted.id, wanted.lane, CASE WHEN wanted.starter IS NULL THEN greatest(due.run_at, now()) ELSE now() + wanted.lease_ms * interval '1 millisecond' END, due.run_at, now(),
  CASE WHEN wanted.starter IS NOT NULL THEN $16::bigint END, wanted.starter,
  CASE WHEN wanted.starter IS NOT NULL THEN now() END,
  CASE WHEN wanted.starter IS NOT NULL THEN 1 ELSE 0 END,
  CASE WHEN wanted.starter IS NOT NULL AND EXISTS (SELECT 1 FROM configs) THEN (
    SELECT f.version FROM endpoint_versions v JOIN configs f ON f.name = v.config_ref
    WHERE v.name = wanted.endpoint AND v.version = wanted.version) END
FROM wanted,
  LATERAL (SELECT coalesce(wanted.run_at, now() + wanted.delay_ms * interval '1 millisecond'))
    AS due(run_at)
WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE
RETURNING job_id, created_at, run_at, run_at <= now() AS due, lease_token IS NOT NULL AS started, config_version, (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch;
