-- JoinStatement.COUNT alone: $1 uuid[], $2 int[], $3 int[], $4 int[]
PREPARE count_ended_parents (uuid[], int[], int[], int[]) AS
WITH counted AS MATERIALIZED (
  SELECT live.execution_id, n.*, CASE live.trigger_rule
  WHEN 1 THEN CASE WHEN n.failed + n.skipped > 0 THEN 'SKIP' WHEN n.open = 0 THEN 'READY' END
  WHEN 3 THEN CASE WHEN n.succeeded > 0 THEN 'READY' WHEN n.open = 0 THEN 'SKIP' END
  WHEN 4 THEN CASE WHEN n.failed > 0 THEN 'READY' WHEN n.open = 0 THEN 'SKIP' END
  WHEN 5 THEN CASE WHEN n.failed > 0 THEN 'SKIP' WHEN n.open = 0 THEN 'READY' END
  WHEN 6 THEN CASE WHEN n.succeeded + n.skipped > 0 THEN 'SKIP' WHEN n.open = 0 THEN 'READY' END
  ELSE CASE WHEN n.open = 0 THEN 'READY' END
END AS verdict,
    CASE WHEN live.ready_delay_ms IS NULL THEN greatest(live.run_at, now())
      ELSE now() + live.ready_delay_ms * interval '1 millisecond' END AS ready_at,
    (SELECT j.ttl_ms FROM jobs j WHERE j.job_id = live.job_id) * interval '1 millisecond' AS ttl
  FROM exec_live live,
  LATERAL (SELECT array_position($1::uuid[], live.execution_id)) AS at(n),
  LATERAL (SELECT ($2::int[])[at.n], ($3::int[])[at.n], ($4::int[])[at.n])
    AS sum(ended, succeeded, skipped),
  LATERAL (SELECT live.parents_open - sum.ended, live.parents_succeeded + sum.succeeded,
    live.parents_failed + sum.ended - sum.succeeded - sum.skipped,
    live.parents_skipped + sum.skipped) AS n(open, succeeded, failed, skipped)
  WHERE live.execution_id = ANY($1::uuid[]) AND (live.trigger_rule > 0) IS TRUE
), decided AS (
  UPDATE exec_live live
  SET parents_open = c.open, parents_succeeded = c.succeeded, parents_failed = c.failed,
      parents_skipped = c.skipped,
      trigger_rule = CASE c.verdict WHEN 'READY' THEN NULL WHEN 'SKIP' THEN -live.trigger_rule
        ELSE live.trigger_rule END,
      run_at = CASE c.verdict WHEN 'READY' THEN c.ready_at ELSE live.run_at END,
      visible_at = CASE c.verdict WHEN 'READY' THEN c.ready_at ELSE live.visible_at END,
      expires_at = CASE c.verdict WHEN 'READY' THEN least(live.expires_at, c.ready_at + c.ttl)
        ELSE live.expires_at END,
      flow_state = CASE c.verdict WHEN 'READY' THEN 0 ELSE live.flow_state END
  FROM counted c
  WHERE c.execution_id = live.execution_id AND live.execution_id = ANY($1::uuid[])
  RETURNING live.execution_id, live.job_id, live.run_at, c.verdict
)
SELECT execution_id, run_at, verdict, run_at <= now() AS due FROM decided WHERE verdict IS NOT NULL;
