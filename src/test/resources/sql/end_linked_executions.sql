-- ResultStatement.END_LINKED alone: $1 uuid[], $2 bigint[], $3 text[], $4 text[], $5 text[], $6 text[]
PREPARE end_linked_executions (uuid[], bigint[], text[], text[], text[], text[]) AS
WITH removed AS (
  DELETE FROM exec_live live
  WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND live.lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)]
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
), given AS MATERIALIZED (
  SELECT flow_id, count(*)::int AS n FROM removed WHERE flow_state = 2 AND flow_id IS NOT NULL GROUP BY flow_id
), limits AS MATERIALIZED (
  SELECT f.flow_id FROM flow_limits f
  WHERE f.flow_id = ANY(ARRAY(SELECT flow_id FROM given))
  ORDER BY f.flow_id
  FOR UPDATE
), sums AS MATERIALIZED (
  SELECT array_agg(given.flow_id) AS flow_ids, array_agg(given.n) AS n
  FROM given JOIN limits ON limits.flow_id = given.flow_id
), given_back AS (
  UPDATE flow_limits f
  SET open = f.open - ((SELECT n FROM sums))[array_position((SELECT flow_ids FROM sums), f.flow_id)],
      release_at = CASE WHEN f.lined THEN least(f.release_at, now()) ELSE f.release_at END
  WHERE f.flow_id = ANY((SELECT flow_ids FROM sums)::bigint[])
  RETURNING f.flow_id, f.lined
), noted_parents AS (
  INSERT INTO ended_parents (execution_id, status)
  SELECT execution_id, status FROM ended WHERE has_children
)
SELECT execution_id, lease_token AS token, (SELECT array_agg(flow_id) FROM given_back WHERE lined) AS waiting_flow_ids, has_children FROM removed;
