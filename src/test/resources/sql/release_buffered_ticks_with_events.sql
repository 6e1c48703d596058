-- BufferedTickStore.RELEASE withEvents: $1 uuid[], $2 timestamptz[], $3 text[], $4 uuid[], $5 bigint[]
PREPARE release_buffered_ticks_with_events (uuid[], timestamptz[], text[], uuid[], bigint[]) AS
WITH waiting AS MATERIALIZED (
  SELECT tick.* FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::uuid[], $5::bigint[])
    AS tick(job_id, at, outcome, execution_id, jitter_ms)
), freed AS (
  UPDATE schedules s SET buffered_tick = NULL FROM waiting
  WHERE s.job_id = waiting.job_id AND s.buffered_tick = waiting.at
  RETURNING s.job_id
), recorded AS (
  INSERT INTO ticks (job_id, scheduled_at, outcome, execution_id, lateness_ms)
  SELECT waiting.job_id, waiting.at, waiting.outcome, waiting.execution_id,
    extract(epoch FROM now() - waiting.at) * 1000
  FROM waiting JOIN freed ON freed.job_id = waiting.job_id
  ON CONFLICT (job_id, scheduled_at) DO NOTHING
  RETURNING execution_id
), created AS (
  INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at,
    flow_id, flow_line, expires_at)
  SELECT waiting.execution_id, waiting.job_id, j.region, j.lane, now(), waiting.at, now(),
    j.flow_id,
    CASE WHEN j.flow_id IS NOT NULL THEN j.lane & 7 END,
    waiting.at + coalesce(j.ttl_ms, (SELECT q.ttl_ms FROM queues q WHERE q.queue_id = ((j.lane & 1073741823) >> 7)))
      * interval '1 millisecond'
  FROM waiting JOIN jobs j ON j.job_id = waiting.job_id
  WHERE (waiting.execution_id IN (SELECT execution_id FROM recorded)) IS TRUE
  ON CONFLICT (execution_id) DO NOTHING
  RETURNING execution_id, job_id, visible_at, run_at, created_at
), events AS (
  INSERT INTO event_outbox (execution_id, job_id, kind, attempt, next_run_at)
  SELECT execution_id, job_id, 'CREATED', 0, CASE visible_at WHEN 'infinity' THEN run_at ELSE visible_at END
  FROM created
)
SELECT 1 FROM created;
