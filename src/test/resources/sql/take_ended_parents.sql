-- JoinStatement.TAKE: $1 uuid[]
PREPARE take_ended_parents (uuid[]) AS
WITH taken AS (
  DELETE FROM ended_parents
  WHERE execution_id = ANY(ARRAY(SELECT execution_id FROM ended_parents WHERE execution_id = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED))
    AND (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL
  RETURNING execution_id, status
), sums AS MATERIALIZED (
  SELECT e.child_id, count(*)::int AS ended,
    (count(*) FILTER (WHERE t.status = 'SUCCESS'))::int AS succeeded,
    (count(*) FILTER (WHERE t.status = 'SKIPPED'))::int AS skipped
  FROM job_edges e JOIN taken t ON t.execution_id = e.parent_id
  WHERE e.parent_id = ANY(ARRAY(SELECT execution_id FROM taken)) AND NOT e.ended
  GROUP BY e.child_id
), locked AS MATERIALIZED (
  SELECT execution_id FROM exec_live
  WHERE execution_id = ANY(ARRAY(SELECT child_id FROM sums)) AND (trigger_rule > 0) IS TRUE
  ORDER BY execution_id
  FOR UPDATE
)
SELECT sums.*, all_taken.taken, all_taken.locked
FROM (SELECT (SELECT count(*) FROM taken) AS taken, (SELECT count(*) FROM locked) AS locked) AS all_taken
LEFT JOIN sums ON true;
