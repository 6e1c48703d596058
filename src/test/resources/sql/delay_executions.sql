-- ResultStatement.WAIT: $1 uuid[], $2 bigint[], $3 bigint[]
PREPARE delay_executions (uuid[], bigint[], bigint[]) AS
UPDATE exec_live live
SET visible_at = now() + ($3::bigint[])[array_position($1::uuid[], live.execution_id)] * interval '1 millisecond', lease_token = NULL,
    worker_id = NULL, attempt = live.attempt - CASE WHEN live.deferred OR live.rescues > 3 THEN 0 ELSE 1 END,
    started_at = CASE WHEN live.deferred OR live.rescues > 3 THEN live.started_at END
WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND live.lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)]
RETURNING live.execution_id, ($2::bigint[])[array_position($1::uuid[], live.execution_id)] AS token;
