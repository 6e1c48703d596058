-- What the trigger of V20 calls is not left to the search path of whoever writes.
ALTER FUNCTION keep_audit_log() SET search_path = pg_catalog;
