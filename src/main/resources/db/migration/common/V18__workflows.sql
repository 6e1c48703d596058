-- Workflows: graphs of jobs that are created together when a run starts.

-- One type more.
ALTER TABLE endpoint_versions DROP CONSTRAINT endpoint_versions_type;
ALTER TABLE endpoint_versions ADD CONSTRAINT endpoint_versions_known_type
    CHECK (endpoint_type IN ('HTTP', 'KAFKA', 'REDIS_STREAM', 'WORKFLOW')) NOT VALID;

-- The endpoint of workflows without a definition: their jobs have the graph.
INSERT INTO endpoints (name, version, created_at, updated_at) VALUES ('_workflow', 1, now(), now());
INSERT INTO endpoint_versions (name, version, endpoint_type, spec, retry_policy, secret_refs, created_at)
VALUES ('_workflow', 1, 'WORKFLOW', '{"jobs": {}}',
    '{"max_attempts": 1, "backoff": "exponential", "initial_delay_ms": 1000, "max_delay_ms": 60000}', '{}', now());

-- The runs of workflows. Each is an execution, which waits for the last ones of its jobs once these have been made.
CREATE TABLE workflow_runs (
    run_id        uuid        NOT NULL,
    job_id        uuid        NOT NULL,
    name          text        NOT NULL,
    -- The run whose jobs that have succeeded are those of this one too.
    retry_of      uuid,
    -- Where it has not that of its job: with the values of templates.
    input         json,
    fail_fast     boolean     NOT NULL DEFAULT false,
    -- When its jobs were made.
    started_at    timestamptz,
    cancelling_at timestamptz,
    ended         boolean     NOT NULL DEFAULT false,
    CONSTRAINT workflow_runs_pk PRIMARY KEY (run_id)
);

CREATE INDEX workflow_runs_open ON workflow_runs (run_id) WHERE NOT ended;

CREATE INDEX workflow_runs_by_name ON workflow_runs (name, run_id);

CREATE INDEX workflow_runs_by_retry ON workflow_runs (retry_of) WHERE retry_of IS NOT NULL;

-- The jobs of runs. What a retry has not made anew belongs to two.
CREATE TABLE workflow_nodes (
    run_id uuid NOT NULL,
    name   text NOT NULL,
    job_id uuid NOT NULL,
    CONSTRAINT workflow_nodes_pk PRIMARY KEY (run_id, name)
);

CREATE INDEX workflow_nodes_by_job ON workflow_nodes (job_id);
