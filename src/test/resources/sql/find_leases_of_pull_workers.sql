-- PulledClaims.FIND: $1 uuid[], $2 bigint[]
PREPARE find_leases_of_pull_workers (uuid[], bigint[]) AS
SELECT live.execution_id, live.job_id, live.attempt, live.failures, live.rescues, live.config_version,
  live.run_at, live.has_children, live.deferred, live.flow_id, NULL::float8 AS expires_in, live.lease_token,
  live.worker_id, live.lane, (extract(epoch FROM now() - live.started_at) * 1000)::bigint AS age_ms,
  j.endpoint, coalesce(live.endpoint_version, j.endpoint_version) AS endpoint_version,
  NULL AS input, j.options::text AS options, j.trace, j.trigger_rule IS NOT NULL AS has_parents,
  (SELECT value FROM epochs WHERE name = 'secrets') AS secret_epoch
FROM exec_live live JOIN jobs j ON j.job_id = live.job_id
WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND live.lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)];
