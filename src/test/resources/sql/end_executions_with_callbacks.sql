-- ResultStatement.END_WITH_CALLBACKS alone: $1 uuid[], $2 bigint[], $3 text[], $4 text[], $5 text[], $6 text[], $7 uuid[], $8 text[], $9 text[]
PREPARE end_executions_with_callbacks (uuid[], bigint[], text[], text[], text[], text[], uuid[], text[], text[]) AS
WITH removed AS (
  DELETE FROM exec_live live
  WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND live.lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)] AND NOT live.has_children
  RETURNING live.*, array_position($1::uuid[], live.execution_id) AS n
), ended AS (
  SELECT removed.*, ($3::text[])[n] AS status, ($6::text[])[n] AS log FROM removed
), history AS (
  INSERT INTO executions (execution_id, job_id, region, lane, status, attempt_count, config_version,
    endpoint_version, worker_id, output, error, run_at, started_at, completed_at, created_at)
  SELECT execution_id, job_id, region, lane, status, attempt, config_version, endpoint_version, worker_id,
    ($4::text[])[n]::json, ($5::text[])[n]::json, run_at, started_at, now(), created_at
  FROM ended
), logs AS (
  INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
  SELECT execution_id, gen_random_uuid(), region, attempt, 'ERROR', log, now()
  FROM ended WHERE log IS NOT NULL
), stats AS (
  INSERT INTO job_stats (job_id, hour, status, bucket, count, total_ms)
  SELECT job_id, date_trunc('hour', now()), status, ceil(ln(ms + 1) * 10)::smallint, count(*),
    sum(ms)::bigint
  FROM ended,
    LATERAL (SELECT greatest(extract(epoch FROM now() - ended.started_at)::float8 * 1000, 0))
      AS duration(ms)
  WHERE execution_id <> job_id
  GROUP BY 1, 3, 4
  ORDER BY 1, 3, 4
  ON CONFLICT (job_id, hour, status, bucket)
  DO UPDATE SET count = job_stats.count + excluded.count, total_ms = job_stats.total_ms + excluded.total_ms
), callbacks AS MATERIALIZED (
  SELECT ended.execution_id, ended.region, ($7::uuid[])[ended.n] AS id, ($8::text[])[ended.n] AS input,
    ($9::text[])[ended.n] AS trace, e.name, e.version,
    target.queue_id * 128 + (ended.lane & 127) AS lane,
    (SELECT p.own_flow_id FROM flow_policies p WHERE p.endpoint = e.name) AS flow_id,
    (SELECT q.ttl_ms FROM queues q WHERE q.queue_id = target.queue_id) AS ttl_ms
  FROM ended
  JOIN jobs j ON j.job_id = ended.job_id
  JOIN endpoint_versions v
    ON v.name = j.endpoint AND v.version = coalesce(ended.endpoint_version, j.endpoint_version)
  JOIN endpoints e ON e.name = CASE ended.status
    WHEN 'SUCCESS' THEN coalesce(v.on_success, j.options -> 'workflow' ->> 'on_success')
    ELSE coalesce(v.on_failure, j.options -> 'workflow' ->> 'on_failure') END
  JOIN endpoint_versions target ON target.name = e.name AND target.version = e.version
  WHERE j.callback_of IS NULL
  FOR KEY SHARE OF e
), callback_jobs AS (
  INSERT INTO jobs (job_id, region, endpoint, endpoint_version, trigger_type, lane, idempotency_key, input,
    created_at, callback_of, trace, flow_id, flow_key, ttl_ms)
  SELECT id, region, name, version, 'IMMEDIATE', CASE WHEN flow_id IS NULL THEN lane ELSE lane - 1073741824 END, 'callback-' || execution_id::text, input::json,
    now(), execution_id, trace, flow_id, CASE WHEN flow_id IS NOT NULL THEN '' END, ttl_ms
  FROM callbacks
), callback_executions AS (
  INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at,
    flow_id, flow_line, expires_at)
  SELECT id, id, region, CASE WHEN flow_id IS NULL THEN lane ELSE lane - 1073741824 END, now(), now(), now(), flow_id,
    CASE WHEN flow_id IS NOT NULL THEN lane & 7 END, now() + ttl_ms * interval '1 millisecond'
  FROM callbacks
)
SELECT execution_id, lease_token AS token, (SELECT count(*) FROM callbacks) AS callbacks FROM removed;
