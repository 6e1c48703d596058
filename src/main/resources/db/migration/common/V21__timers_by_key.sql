-- Timers by key: jobs that are changed or replaced before they begin.

-- Of a job that was changed before it began: the version of the job that the execution is to carry out. A claim that
-- has seen another one reads the job again.
ALTER TABLE exec_live ADD COLUMN revision integer;

-- Of a key whose job has replaced another one: when the first of them was created. No job is put off longer than
-- 'max_wait' from then on.
ALTER TABLE idempotency_keys ADD COLUMN first_at timestamptz;

-- One status more. Under another name, since CockroachDB does not drop and add a name in one transaction.
ALTER TABLE executions DROP CONSTRAINT executions_end_status;
ALTER TABLE executions ADD CONSTRAINT executions_known_status
    CHECK (status IN ('SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED', 'SKIPPED', 'SUPERSEDED')) NOT VALID;
