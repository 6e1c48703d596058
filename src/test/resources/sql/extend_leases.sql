-- LeaseStore.EXTEND: $1 uuid[], $2 bigint[], $3 bigint
PREPARE extend_leases (uuid[], bigint[], bigint) AS
UPDATE exec_live live
SET visible_at = now() + $3::bigint * interval '1 millisecond'
WHERE live.execution_id = ANY((SELECT $1::uuid[])::uuid[]) AND live.lease_token = ($2::bigint[])[array_position($1::uuid[], live.execution_id)]
RETURNING live.execution_id;
