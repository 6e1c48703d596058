-- ReportStore.REPORT alone: $1 uuid[], $2 int[], $3 bigint[], $4 float8[], $5 float8[], $6 text[], $7 bigint
PREPARE record_reports (uuid[], int[], bigint[], float8[], float8[], text[], bigint) AS
WITH valid AS MATERIALIZED (
  SELECT live.execution_id, live.job_id, live.attempt, live.deferred, live.lease_token, array_position($1::uuid[], live.execution_id) AS n
  FROM exec_live live
  WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[])
    AND ($2::int[])[array_position($1::uuid[], live.execution_id)] BETWEEN live.callback_from AND live.attempt
  ORDER BY live.execution_id
  FOR UPDATE
), heard AS (
  INSERT INTO deferrals AS known (execution_id, attempt, mode, since, deadline, heard_at)
  SELECT execution_id, attempt, 'callback', now(),
    now() + coalesce(($3::bigint[])[n], 0) * interval '1 millisecond', now()
  FROM valid WHERE deferred OR ($3::bigint[])[n] IS NOT NULL
  ON CONFLICT (execution_id) DO UPDATE
  SET heard_at = excluded.heard_at, attempt = excluded.attempt,
      deadline = CASE WHEN known.attempt = excluded.attempt THEN greatest(known.deadline,
          least(excluded.deadline, known.since + $7::bigint * interval '1 millisecond'))
        ELSE excluded.deadline END,
      since = CASE WHEN known.attempt = excluded.attempt THEN known.since ELSE excluded.since END,
      mode = CASE WHEN known.attempt = excluded.attempt THEN known.mode ELSE excluded.mode END,
      poll_every_ms = CASE WHEN known.attempt = excluded.attempt THEN known.poll_every_ms END,
      poll_url = CASE WHEN known.attempt = excluded.attempt THEN known.poll_url END,
      heartbeat_ms = CASE WHEN known.attempt = excluded.attempt THEN known.heartbeat_ms END
  RETURNING known.execution_id, known.heartbeat_ms
), freed AS (
  UPDATE exec_live live
  SET lease_token = NULL, visible_at = now()
  WHERE live.execution_id = ANY(ARRAY(
      SELECT valid.execution_id FROM valid JOIN heard ON heard.execution_id = valid.execution_id
      WHERE valid.deferred AND valid.lease_token IS NOT NULL
        AND (($3::bigint[])[valid.n] IS NOT NULL OR heard.heartbeat_ms IS NOT NULL)))
  RETURNING live.execution_id
), progress AS (
  INSERT INTO execution_progress AS known (execution_id, attempt, done, total, message, reported_at,
    window_done, window_at, next_done, next_at)
  SELECT execution_id, attempt, ($4::float8[])[n], ($5::float8[])[n], ($6::text[])[n], now(),
    ($4::float8[])[n], now(), ($4::float8[])[n], now()
  FROM valid WHERE ($4::float8[])[n] IS NOT NULL
  ON CONFLICT (execution_id) DO UPDATE
  SET attempt = excluded.attempt, done = excluded.done, total = excluded.total,
      message = excluded.message, reported_at = excluded.reported_at,
      window_done = CASE WHEN known.attempt <> excluded.attempt OR excluded.done < known.done THEN excluded.done WHEN known.next_at <= now() - interval '30 seconds' THEN known.next_done
        ELSE known.window_done END,
      window_at = CASE WHEN known.attempt <> excluded.attempt OR excluded.done < known.done THEN now() WHEN known.next_at <= now() - interval '30 seconds' THEN known.next_at ELSE known.window_at END,
      next_done = CASE WHEN known.attempt <> excluded.attempt OR excluded.done < known.done OR known.next_at <= now() - interval '30 seconds' THEN excluded.done ELSE known.next_done END,
      next_at = CASE WHEN known.attempt <> excluded.attempt OR excluded.done < known.done OR known.next_at <= now() - interval '30 seconds' THEN now() ELSE known.next_at END
  RETURNING execution_id, attempt, done, total, message
)
SELECT execution_id, n, (SELECT count(*) FROM freed) AS freed FROM valid;
