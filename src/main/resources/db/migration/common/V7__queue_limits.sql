-- Limits of queues: settings here, and what changes with every claim in a table of its own.
ALTER TABLE queues ADD COLUMN max_concurrency integer;
ALTER TABLE queues ADD COLUMN rate_limit integer;
ALTER TABLE queues ADD COLUMN rate_per_ms bigint;
ALTER TABLE queues ADD COLUMN rate_burst integer;
-- The time after which an execution that has not begun expires, for jobs that state none.
ALTER TABLE queues ADD COLUMN ttl_ms bigint;

ALTER TABLE queues ADD CONSTRAINT queues_max_concurrency CHECK (max_concurrency > 0) NOT VALID;
ALTER TABLE queues ADD CONSTRAINT queues_rate CHECK (
    (rate_limit IS NULL AND rate_per_ms IS NULL AND rate_burst IS NULL)
    OR (rate_limit > 0 AND rate_per_ms > 0 AND rate_burst > 0)) NOT VALID;
ALTER TABLE queues ADD CONSTRAINT queues_ttl CHECK (ttl_ms > 0) NOT VALID;

-- Locked by each claim from a queue that has limits, or has had some.
CREATE TABLE queue_limits (
    queue_id    integer     NOT NULL,
    -- The time until which tokens are spent.
    tat         timestamptz NOT NULL DEFAULT now(),
    -- Null when all that runs of the queue is marked. Otherwise nothing is claimed before, and what runs then is marked
    -- first: it was claimed when the queue had no limits.
    marks_from  timestamptz,
    CONSTRAINT queue_limits_pk PRIMARY KEY (queue_id)
);

-- Whether it was claimed while its queue had limits: what is leased and has the mark is counted.
ALTER TABLE exec_live ADD COLUMN holds_queue boolean NOT NULL DEFAULT false;
