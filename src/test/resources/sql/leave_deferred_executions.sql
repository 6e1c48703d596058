-- DeferralStatement.STAY: $1 uuid[], $2 bigint[], $3 bigint[]
PREPARE leave_deferred_executions (uuid[], bigint[], bigint[]) AS
UPDATE exec_live live
SET visible_at = now() + ($3::bigint[])[array_position($1::uuid[], live.execution_id)] * interval '1 millisecond', lease_token = NULL
WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND live.lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)] AND live.deferred
RETURNING live.execution_id, ($2::bigint[])[array_position($1::uuid[], live.execution_id)] AS token;
