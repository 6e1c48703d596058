-- JobInsert.of alone: $1 uuid[], $2 text[], $3 int[], $4 int[], $5 text[], $6 timestamptz[], $7 bigint[], $8 int[], $9 text[], $10 uuid[], $11 text[], $12 text[], $13 text[]
PREPARE create_jobs (uuid[], text[], int[], int[], text[], timestamptz[], bigint[], int[], text[], uuid[], text[], text[], text[]) AS
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
    $13::text[])
    AS asked(id, endpoint, version, spec_version, trigger_type, run_at, delay_ms, lane, key, fingerprint,
      input, tags, trace)
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
)INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
SELECT wanted.id, wanted.id, wanted.lane, greatest(due.run_at, now()), due.run_at, now()
FROM wanted,
  LATERAL (SELECT coalesce(wanted.run_at, now() + wanted.delay_ms * interval '1 millisecond'))
    AS due(run_at)
WHERE (wanted.id IN (SELECT job_id FROM new_keys)) IS TRUE
RETURNING job_id, created_at, run_at, run_at <= now() AS due;
