-- TickStore.ADVANCE alone: $1 uuid[], $2 timestamptz[], $3 timestamptz[], $4 timestamptz[], $5 bigint[], $6 timestamptz[], $7 uuid[], $8 timestamptz[], $9 text[], $10 uuid[], $11 bigint[], $12 timestamptz[], $13 text
PREPARE advance_schedules (uuid[], timestamptz[], timestamptz[], timestamptz[], bigint[], timestamptz[], uuid[], timestamptz[], text[], uuid[], bigint[], timestamptz[], text) AS
WITH advanced AS (
  UPDATE schedules s
  SET next_run_at = step.next, last_tick_at = step.last, fires = s.fires + step.fires,
      buffered_tick = coalesce(s.buffered_tick, step.buffered), tz_rules = $13::text,
      ended_at = CASE WHEN step.next IS NULL THEN least(s.ended_at, step.last + interval '1 microsecond')
                 ELSE s.ended_at END
  FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::bigint[],
    $6::timestamptz[], $12::timestamptz[]) AS step(id, current, last, next, fires, buffered, ended)
  WHERE s.job_id = ANY((SELECT $1::uuid[])::uuid[]) AND s.job_id = step.id AND s.next_run_at = step.current
    AND coalesce(s.ended_at, 'infinity'::timestamptz) = coalesce(step.ended, 'infinity'::timestamptz)
  RETURNING s.job_id, s.next_run_at
), retired AS (
  UPDATE jobs j SET retired_at = now() FROM advanced
  WHERE j.job_id = advanced.job_id AND advanced.next_run_at IS NULL AND j.retired_at IS NULL
), decided AS MATERIALIZED (
  SELECT tick.* FROM unnest($7::uuid[], $8::timestamptz[], $9::text[], $10::uuid[], $11::bigint[])
    AS tick(job_id, at, outcome, execution_id, jitter_ms)
  WHERE (tick.job_id IN (SELECT job_id FROM advanced)) IS TRUE
), recorded AS (
  INSERT INTO ticks (job_id, scheduled_at, outcome, execution_id, lateness_ms)
  SELECT job_id, at, outcome, execution_id, extract(epoch FROM now() - at) * 1000 FROM decided
  ON CONFLICT (job_id, scheduled_at) DO NOTHING
  RETURNING execution_id
), created AS (
  INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at,
    flow_id, flow_line, expires_at)
  SELECT decided.execution_id, decided.job_id, j.region, j.lane,
         greatest(now(), decided.at + decided.jitter_ms * interval '1 millisecond'), decided.at, now(),
         j.flow_id,
    CASE WHEN j.flow_id IS NOT NULL THEN j.lane & 7 END,
    decided.at + coalesce(j.ttl_ms, (SELECT q.ttl_ms FROM queues q WHERE q.queue_id = ((j.lane & 1073741823) >> 7)))
      * interval '1 millisecond'
  FROM decided JOIN jobs j ON j.job_id = decided.job_id
  WHERE (decided.execution_id IN (SELECT execution_id FROM recorded WHERE execution_id IS NOT NULL)) IS TRUE
  ON CONFLICT (execution_id) DO NOTHING
  RETURNING execution_id, job_id, visible_at, run_at, created_at
)
SELECT job_id, now() AS now, (SELECT count(*) FROM created) AS fired FROM advanced;
