-- CallbackClaims.TAKE: $1 uuid[], $2 bigint[], $3 int[]
PREPARE take_leases_for_callbacks (uuid[], bigint[], int[]) AS
WITH wanted AS MATERIALIZED (
  SELECT execution_id FROM exec_live
  WHERE execution_id = ANY((SELECT $1::uuid[])::uuid[])
  ORDER BY execution_id
  FOR UPDATE
), taken AS (
  UPDATE exec_live live
  SET lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)], visible_at = now() + interval '30 seconds',
      worker_id = coalesce(live.worker_id, gen_random_uuid()),
      started_at = coalesce(live.started_at, now()),
      flow_state = CASE live.flow_state WHEN 1 THEN 0 ELSE live.flow_state END,
      holds_queue = live.holds_queue AND NOT live.deferred
  WHERE live.execution_id = ANY(ARRAY(SELECT execution_id FROM wanted))
    AND ($3::int[])[array_position($1::uuid[], live.execution_id)] BETWEEN live.callback_from AND live.attempt
    AND (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL
  RETURNING live.execution_id, live.job_id, live.attempt, live.failures, live.rescues, live.config_version,
            live.run_at, live.endpoint_version AS replayed_version, live.has_children, live.deferred,
            live.lease_token, live.flow_id, NULL::float8 AS expires_in
)
SELECT taken.*, j.endpoint, coalesce(taken.replayed_version, j.endpoint_version) AS endpoint_version,
       j.input::text AS input, j.options::text AS options, j.trace,
       j.trigger_rule IS NOT NULL AS has_parents,
       (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch
FROM taken LEFT JOIN jobs j ON j.job_id = taken.job_id;
