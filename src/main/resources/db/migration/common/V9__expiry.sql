-- Expiry: a time after which no attempt of an execution begins.

-- What the job asked for: a time to live after its run time or its tick, or a time, and a time for retries as well.
ALTER TABLE jobs ADD COLUMN ttl_ms bigint;
ALTER TABLE jobs ADD COLUMN expires_at timestamptz;
ALTER TABLE jobs ADD COLUMN deadline timestamptz;
ALTER TABLE jobs ADD CONSTRAINT jobs_ttl CHECK (ttl_ms > 0) NOT VALID;

-- No first attempt begins at it or later; never after the deadline. An attempt that has begun sets it to the deadline.
ALTER TABLE exec_live ADD COLUMN expires_at timestamptz;
-- No attempt at all begins at it or later.
ALTER TABLE exec_live ADD COLUMN deadline timestamptz;

-- One status more. Under another name, since CockroachDB does not drop and add a name in one transaction.
ALTER TABLE executions DROP CONSTRAINT executions_status;
ALTER TABLE executions ADD CONSTRAINT executions_final_status
    CHECK (status IN ('SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED')) NOT VALID;
