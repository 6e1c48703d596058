-- DeferralStatement.DEFER alone: $1 uuid[], $2 bigint[], $3 bigint[], $4 text[], $5 bigint[], $6 text[], $7 bigint[], $8 bigint[], $9 text[]
PREPARE defer_executions (uuid[], bigint[], bigint[], text[], bigint[], text[], bigint[], bigint[], text[]) AS
WITH deferred AS (
  UPDATE exec_live live
  SET visible_at = now() + ($3::bigint[])[array_position($1::uuid[], live.execution_id)] * interval '1 millisecond', lease_token = NULL,
      deferred = true, lane = live.lane - CASE
        WHEN (SELECT q.pulled FROM queues q WHERE q.queue_id = ((live.lane & 1073741823) >> 7)) THEN ((live.lane & 1073741823) >> 7) * 128 ELSE 0 END
  WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND live.lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)]
  RETURNING live.execution_id, live.job_id, live.region, live.attempt, array_position($1::uuid[], live.execution_id) AS n
), terms AS (
  INSERT INTO deferrals AS known (execution_id, attempt, mode, poll_every_ms, poll_url, heartbeat_ms, since,
    deadline, heard_at)
  SELECT execution_id, attempt, ($4::text[])[n], ($5::bigint[])[n], ($6::text[])[n], ($7::bigint[])[n],
    now(), now() + ($8::bigint[])[n] * interval '1 millisecond', now()
  FROM deferred
  ON CONFLICT (execution_id) DO UPDATE
  SET attempt = excluded.attempt, mode = excluded.mode, poll_every_ms = excluded.poll_every_ms,
      poll_url = excluded.poll_url, heartbeat_ms = excluded.heartbeat_ms, since = excluded.since,
      heard_at = excluded.heard_at,
      deadline = CASE WHEN known.attempt = excluded.attempt
        THEN greatest(known.deadline, excluded.deadline) ELSE excluded.deadline END
), logs AS (
  INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
  SELECT execution_id, gen_random_uuid(), region, attempt, 'INFO', ($9::text[])[n], now() FROM deferred
)
SELECT execution_id, ($2::bigint[])[n] AS token FROM deferred;
