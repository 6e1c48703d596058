-- ResultStatement.RETRY_KEYED alone: $1 uuid[], $2 bigint[], $3 text[], $4 bigint[], $5 text[], $6 uuid[], $7 text[], $8 uuid[]
PREPARE retry_keyed_executions (uuid[], bigint[], text[], bigint[], text[], uuid[], text[], uuid[]) AS
WITH held AS MATERIALIZED (
  SELECT live.execution_id, live.flow_state FROM exec_live live
  WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND live.lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)]
  ORDER BY live.execution_id
  FOR UPDATE
),
released AS (
  UPDATE exec_live live
  SET visible_at = now() + ($4::bigint[])[array_position($1::uuid[], live.execution_id)] * interval '1 millisecond', lease_token = NULL,
      worker_id = NULL,
      failures = live.failures + CASE WHEN ($3::text[])[array_position($1::uuid[], live.execution_id)] = 'FAILED' THEN 1 ELSE 0 END,
      callback_from = CASE WHEN ($3::text[])[array_position($1::uuid[], live.execution_id)] = 'FAILED' THEN least(live.attempt + 1, 32767)
        ELSE live.callback_from END,
      deferred = false, expires_at = CASE WHEN live.deadline IS NULL THEN NULL
        WHEN now() + ($4::bigint[])[array_position($1::uuid[], live.execution_id)] * interval '1 millisecond' >= live.deadline
        THEN least(live.deadline, now())
        ELSE live.deadline END, deadline = CASE WHEN live.deadline IS NULL THEN NULL
        WHEN now() + ($4::bigint[])[array_position($1::uuid[], live.execution_id)] * interval '1 millisecond' >= live.deadline
        THEN least(live.deadline, now())
        ELSE live.deadline END, flow_state = CASE WHEN live.flow_state = 2 AND (
        SELECT p.fifo FROM flow_limits f JOIN flow_policies p ON p.endpoint = f.endpoint
        WHERE f.flow_id = live.flow_id) IS NOT TRUE THEN 0
      ELSE live.flow_state END
  WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND live.lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)]
    AND live.execution_id = ANY(ARRAY(SELECT held.execution_id FROM held))
  RETURNING live.execution_id, live.job_id, live.region, live.attempt, live.started_at, live.visible_at,
            array_position($1::uuid[], live.execution_id) AS n, live.flow_id,
            CASE WHEN (SELECT held.flow_state FROM held WHERE held.execution_id = live.execution_id) = 2
              THEN live.flow_state ELSE -1 END AS flow_state
), past_attempts AS (
  INSERT INTO attempts
    (execution_id, attempt_number, region, status, worker_id, error, started_at, completed_at)
  SELECT execution_id, attempt, region, ($3::text[])[n], ($6::uuid[])[n], ($5::text[])[n]::json, started_at,
    now()
  FROM released
  ON CONFLICT (execution_id, attempt_number) DO UPDATE
  SET status = excluded.status, worker_id = excluded.worker_id, error = excluded.error,
      completed_at = excluded.completed_at
), logs AS (
  INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
  SELECT execution_id, ($8::uuid[])[n], region, attempt, 'WARN', ($7::text[])[n], now() FROM released
  ON CONFLICT (execution_id, log_id) DO UPDATE SET attempt_number = excluded.attempt_number,
    message = excluded.message, logged_at = excluded.logged_at
), given AS MATERIALIZED (
  SELECT flow_id, count(*)::int AS n FROM released WHERE flow_state = 0 AND flow_id IS NOT NULL GROUP BY flow_id
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
)
SELECT execution_id, ($2::bigint[])[n] AS token, (SELECT array_agg(flow_id) FROM given_back WHERE lined) AS waiting_flow_ids FROM released;
