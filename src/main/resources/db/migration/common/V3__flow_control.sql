-- Flow control: limits of flow keys. Settings and counters are apart: a counter changes with every claim.

ALTER TABLE endpoint_versions ADD COLUMN flow json;

-- The limits of an endpoint's flow keys, as its current version has them.
CREATE TABLE flow_policies (
    endpoint        text    NOT NULL,
    -- The key of executions that have none of their own.
    own_flow_id     bigint  NOT NULL,
    max_concurrency integer,
    -- The time between two executions, and how many may begin at once after a quiet time.
    rate_spacing_us bigint,
    rate_burst      integer,
    fifo            boolean NOT NULL DEFAULT false,
    fair            boolean NOT NULL DEFAULT false,
    CONSTRAINT flow_policies_pk PRIMARY KEY (endpoint),
    CONSTRAINT flow_policies_max_concurrency CHECK (max_concurrency > 0),
    CONSTRAINT flow_policies_rate CHECK (
        (rate_spacing_us IS NULL AND rate_burst IS NULL) OR (rate_spacing_us > 0 AND rate_burst > 0)),
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

ALTER TABLE exec_live ADD CONSTRAINT exec_live_flow CHECK (
    flow_state BETWEEN 0 AND 2 AND (flow_id IS NOT NULL OR flow_state = 0)
    AND (flow_id IS NULL) = (flow_line IS NULL)) NOT VALID;
