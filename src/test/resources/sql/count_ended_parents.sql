-- DependencyStatement.COUNT alone: $1 uuid[], $2 int[], $3 int[], $4 int[]
PREPARE count_ended_parents (uuid[], int[], int[], int[]) AS
WITH decided AS (
  UPDATE exec_live live
  SET (parents_open, parents_succeeded, parents_failed, parents_skipped, trigger_rule, run_at, visible_at,
    expires_at, flow_state) = (
    SELECT n.open, n.succeeded, n.failed, n.skipped,
      CASE v.verdict WHEN 'READY' THEN NULL WHEN 'SKIP' THEN -live.trigger_rule ELSE live.trigger_rule END,
      CASE WHEN v.verdict = 'READY' AND live.trigger_rule <> 8 THEN v.ready_at ELSE live.run_at END,
      CASE v.verdict WHEN 'READY' THEN v.ready_at ELSE live.visible_at END,
      CASE WHEN v.verdict = 'READY' AND live.trigger_rule <> 8 THEN least(live.expires_at, v.ready_at
          + (SELECT j.ttl_ms FROM jobs j WHERE j.job_id = live.job_id) * interval '1 millisecond')
        ELSE live.expires_at END,
      CASE v.verdict WHEN 'READY' THEN 0 ELSE live.flow_state END
    FROM (SELECT array_position($1::uuid[], live.execution_id) AS n OFFSET 0) AS at,
    LATERAL (SELECT ($2::int[])[at.n] AS ended, ($3::int[])[at.n] AS succeeded,
      ($4::int[])[at.n] AS skipped OFFSET 0) AS sum,
    LATERAL (SELECT live.parents_open - sum.ended AS open,
      live.parents_succeeded + sum.succeeded AS succeeded,
      live.parents_failed + sum.ended - sum.succeeded - sum.skipped AS failed,
      live.parents_skipped + sum.skipped AS skipped OFFSET 0) AS n,
    LATERAL (SELECT CASE live.trigger_rule
    WHEN 1 THEN CASE WHEN n.failed + n.skipped > 0 THEN 'SKIP' WHEN n.open = 0 THEN 'READY' END
    WHEN 3 THEN CASE WHEN n.succeeded > 0 THEN 'READY' WHEN n.open = 0 THEN 'SKIP' END
    WHEN 4 THEN CASE WHEN n.failed > 0 THEN 'READY' WHEN n.open = 0 THEN 'SKIP' END
    WHEN 5 THEN CASE WHEN n.failed > 0 THEN 'SKIP' WHEN n.open = 0 THEN 'READY' END
    WHEN 6 THEN CASE WHEN n.succeeded + n.skipped > 0 THEN 'SKIP' WHEN n.open = 0 THEN 'READY' END
    ELSE CASE WHEN n.open = 0 THEN 'READY' END
  END AS verdict,
      CASE WHEN live.ready_delay_ms IS NULL THEN greatest(live.run_at, now())
        ELSE now() + live.ready_delay_ms * interval '1 millisecond' END AS ready_at OFFSET 0) AS v
  )
  WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND (live.trigger_rule > 0) IS TRUE
  RETURNING live.execution_id, live.job_id, live.run_at, live.trigger_rule, live.started_at
)
SELECT execution_id, run_at, trigger_rule IS NULL AS ready, run_at <= now() AS due FROM decided
WHERE (trigger_rule > 0) IS NOT TRUE;
