-- ResultStatement.RETRY alone: $1 uuid[], $2 bigint[], $3 text[], $4 bigint[], $5 text[], $6 uuid[], $7 text[], $8 uuid[]
PREPARE retry_executions (uuid[], bigint[], text[], bigint[], text[], uuid[], text[], uuid[]) AS
WITH released AS (
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
        ELSE live.deadline END
  WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND live.lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)]
  RETURNING live.execution_id, live.job_id, live.region, live.attempt, live.started_at, live.visible_at,
            array_position($1::uuid[], live.execution_id) AS n
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
)
SELECT execution_id, ($2::bigint[])[n] AS token FROM released;
