-- ResultStatement.END alone: $1 uuid[], $2 bigint[], $3 text[], $4 text[], $5 text[], $6 text[]
PREPARE end_executions (uuid[], bigint[], text[], text[], text[], text[]) AS
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
)
SELECT execution_id, lease_token AS token FROM removed;
