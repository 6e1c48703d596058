-- SQL functions: a job is found by its key also when its region was forgotten.

-- Whether a key has expired (store/job/IdempotencyKeyStore). A region that was forgotten, or of which no process has
-- said so yet, has no lifetime of keys: then that of the others holds, which is to be the same.
CREATE OR REPLACE FUNCTION taskexec_key_has_expired(holder uuid, created_at timestamptz, lifetime_ms bigint)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT created_at <= now()
            - coalesce(lifetime_ms, (SELECT min(r.idempotency_key_ttl_ms) FROM region_status r))
            * interval '1 millisecond'
        AND NOT EXISTS (SELECT 1 FROM exec_live l WHERE l.execution_id = holder)
        AND NOT EXISTS (
            SELECT 1 FROM schedules s JOIN schedules v ON v.root_id = s.root_id JOIN jobs j ON j.job_id = v.job_id
            WHERE s.job_id = holder AND j.retired_at IS NULL)
$$;
