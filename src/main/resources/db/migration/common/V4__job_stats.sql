-- How the executions of a job ended, counted as they end: statistics are read from here and never from a scan of history.
-- A one-shot job's own execution is not counted, since it can be looked at by itself.
CREATE TABLE job_stats (
    job_id   uuid        NOT NULL,
    hour     timestamptz NOT NULL,
    status   text        NOT NULL,
    -- Duration of the last attempt: at most e^(bucket / 10) - 1 milliseconds, and about a tenth less at least.
    bucket   smallint    NOT NULL,
    count    bigint      NOT NULL,
    total_ms bigint      NOT NULL,
    CONSTRAINT job_stats_pk PRIMARY KEY (job_id, hour, status, bucket)
);
