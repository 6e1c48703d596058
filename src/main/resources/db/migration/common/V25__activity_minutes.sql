-- What processes have done in each minute, for charts.

-- A process writes the row of the current minute again and again while there is more, and none when it does nothing.
CREATE TABLE activity_minutes (
    minute      timestamptz NOT NULL,
    process_id  uuid        NOT NULL,
    -- Executions.
    created     bigint      NOT NULL,
    ended       bigint      NOT NULL,
    -- Calls that ended, those of them that failed, and the others and these by their duration, as in job_stats.bucket.
    attempts    bigint      NOT NULL,
    failures    bigint      NOT NULL,
    latencies   json        NOT NULL,
    -- The last depth of all queues, of a process that looks at it.
    waiting     bigint      NOT NULL,
    running     bigint      NOT NULL,
    CONSTRAINT activity_minutes_pk PRIMARY KEY (minute, process_id),
    CONSTRAINT activity_minutes_counts CHECK (created >= 0 AND ended >= 0 AND failures BETWEEN 0 AND attempts)
);
