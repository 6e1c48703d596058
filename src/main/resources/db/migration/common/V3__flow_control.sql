-- Flow control: limits of queues and of flow keys. Settings and counters are apart: endpoints refer to queues, and a
-- counter changes with every claim.

ALTER TABLE queues ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE queues ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
-- How many executions may run at once, over all workers.
ALTER TABLE queues ADD COLUMN max_concurrency integer;
-- rate_limit executions per rate_per_ms, of which rate_burst may begin at once.
ALTER TABLE queues ADD COLUMN rate_limit integer;
ALTER TABLE queues ADD COLUMN rate_per_ms bigint;
ALTER TABLE queues ADD COLUMN rate_burst integer;
ALTER TABLE queues ADD COLUMN weight smallint NOT NULL DEFAULT 1;
-- An execution gains one priority for each such time that it has waited.
ALTER TABLE queues ADD COLUMN aging_ms bigint;
-- How long an execution may wait for its first attempt.
ALTER TABLE queues ADD COLUMN ttl_ms bigint;
ALTER TABLE queues ADD COLUMN paused_at timestamptz;
-- Null when the pause has no end.
ALTER TABLE queues ADD COLUMN paused_until timestamptz;
ALTER TABLE queues ADD COLUMN pause_reason text;
-- From when on its concurrency grows again.
ALTER TABLE queues ADD COLUMN resumed_at timestamptz;

ALTER TABLE queues ADD CONSTRAINT queues_max_concurrency CHECK (max_concurrency > 0);
ALTER TABLE queues ADD CONSTRAINT queues_rate CHECK (
    (rate_limit IS NULL AND rate_per_ms IS NULL AND rate_burst IS NULL)
    OR (rate_limit > 0 AND rate_per_ms > 0 AND rate_burst > 0));
ALTER TABLE queues ADD CONSTRAINT queues_weight CHECK (weight BETWEEN 1 AND 100);

-- The counters of a queue with a limit.
CREATE TABLE queue_limits (
    queue_id integer     NOT NULL,
    -- Executions that hold a place.
    open     integer     NOT NULL DEFAULT 0,
    -- The theoretical arrival time of the generic cell rate algorithm: when the tokens that are spent are all back.
    tat      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT queue_limits_pk PRIMARY KEY (queue_id),
    CONSTRAINT queue_limits_open CHECK (open >= 0)
);

-- The limits of an endpoint's flow keys, as its current version has them.
CREATE TABLE flow_policies (
    endpoint        text    NOT NULL,
    max_concurrency integer,
    rate_limit      integer,
    rate_per_ms     bigint,
    rate_burst      integer,
    fifo            boolean NOT NULL DEFAULT false,
    fair            boolean NOT NULL DEFAULT false,
    CONSTRAINT flow_policies_pk PRIMARY KEY (endpoint),
    CONSTRAINT flow_policies_max_concurrency CHECK (max_concurrency > 0),
    CONSTRAINT flow_policies_rate CHECK (
        (rate_limit IS NULL AND rate_per_ms IS NULL AND rate_burst IS NULL)
        OR (rate_limit > 0 AND rate_per_ms > 0 AND rate_burst > 0)),
    CONSTRAINT flow_policies_fifo CHECK (NOT fifo OR (max_concurrency = 1 AND NOT fair))
);

-- The counters of a flow key that has executions.
CREATE TABLE flow_limits (
    -- A hash of the endpoint and the key.
    flow_id    bigint      NOT NULL,
    endpoint   text        NOT NULL,
    flow_key   text        NOT NULL,
    -- Executions that hold a place.
    open       integer     NOT NULL DEFAULT 0,
    tat        timestamptz NOT NULL DEFAULT now(),
    -- Whether executions are parked in its line: then who gives a place back asks for a release.
    lined      boolean     NOT NULL DEFAULT false,
    -- When the line is to be looked at: at once, in case that who was to do it has died, or when a token comes.
    release_at timestamptz,
    CONSTRAINT flow_limits_pk PRIMARY KEY (flow_id),
    CONSTRAINT flow_limits_open CHECK (open >= 0)
);

CREATE INDEX flow_limits_by_endpoint ON flow_limits (endpoint);

CREATE INDEX flow_limits_due ON flow_limits (release_at) WHERE release_at IS NOT NULL;

ALTER TABLE jobs ADD COLUMN flow_id bigint;
ALTER TABLE jobs ADD COLUMN flow_key text;

ALTER TABLE exec_live ADD COLUMN flow_id bigint;
-- The place of its priority in the line of its key: 0 for all where the order is strict.
ALTER TABLE exec_live ADD COLUMN flow_line smallint;
-- 0 free: a claim decides; 1 parked: it waits for a release; 2 held: it is counted in flow_limits.open.
ALTER TABLE exec_live ADD COLUMN flow_state smallint NOT NULL DEFAULT 0;
-- Whether it is counted in queue_limits.open.
ALTER TABLE exec_live ADD COLUMN holds_queue boolean NOT NULL DEFAULT false;

ALTER TABLE exec_live ADD CONSTRAINT exec_live_flow CHECK (
    flow_state BETWEEN 0 AND 2 AND (flow_id IS NOT NULL OR flow_state = 0) AND (flow_id IS NULL) = (flow_line IS NULL));

-- The lines of flow keys.
CREATE INDEX exec_live_lines ON exec_live (flow_id, flow_line, run_at, execution_id)
    WHERE flow_id IS NOT NULL AND flow_state < 2;

-- Finds what a dead worker has left in a queue that is full.
CREATE INDEX exec_live_places ON exec_live (lane, visible_at) WHERE holds_queue;

-- Claims name the value that they know, so that none begins anything after a queue was paused or limited.
INSERT INTO epochs (name, value) VALUES ('queues', 0);
