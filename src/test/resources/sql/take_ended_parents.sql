-- DependencyStatement.TAKE: $1 uuid[]
PREPARE take_ended_parents (uuid[]) AS
WITH taken AS (
  DELETE FROM ended_parents
  WHERE execution_id = ANY(ARRAY(SELECT execution_id FROM ended_parents WHERE execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND NOT in_parts FOR UPDATE SKIP LOCKED))
    AND (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL
  RETURNING execution_id, status
), sums AS MATERIALIZED (
  SELECT e.child_id, count(*)::int AS ended,
    (count(*) FILTER (WHERE t.status = 'SUCCESS'))::int AS succeeded,
    (count(*) FILTER (WHERE t.status = 'SKIPPED'))::int AS skipped, bool_or(e.name = '') AS of_run
  FROM job_edges e JOIN taken t ON t.execution_id = e.parent_id
  WHERE e.parent_id = ANY(ARRAY(SELECT execution_id FROM taken)) AND NOT e.ended
  GROUP BY e.child_id
), locked AS MATERIALIZED (
  SELECT execution_id, trigger_rule FROM exec_live
  WHERE execution_id = ANY(ARRAY(SELECT child_id FROM sums)) AND (trigger_rule > 0) IS TRUE
  ORDER BY execution_id
  FOR UPDATE
)
SELECT NULL::uuid AS child_id, count(*)::int AS ended, 0 AS succeeded, 0 AS skipped, false AS of_run
FROM taken
UNION ALL SELECT child_id, ended, succeeded, skipped, of_run FROM sums
UNION ALL SELECT execution_id, NULL::int, 0, 0, trigger_rule = 8 FROM locked;
