-- The first schema, for PostgreSQL 14+ and CockroachDB 24.3+. Why it has this shape: docs/architecture.md and docs/adr.

-- ---------------------------------------------------------------------------------------------------------------------
-- What users set up. These tables are small; references between them are foreign keys. JSON is kept as it was written
-- (json, not jsonb): nothing searches in it, and a body goes out with its fields in the order that its template has.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE TABLE payload_specs (
    name        text        NOT NULL,
    version     integer     NOT NULL,
    schema_json json        NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    CONSTRAINT payload_specs_pk PRIMARY KEY (name)
);

CREATE TABLE configs (
    name       text        NOT NULL,
    version    integer     NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT configs_pk PRIMARY KEY (name)
);

-- Immutable, and kept when the config is deleted: an execution stays on the version of its first attempt.
CREATE TABLE config_versions (
    name        text        NOT NULL,
    version     integer     NOT NULL,
    values_json json        NOT NULL,
    created_at  timestamptz NOT NULL,
    CONSTRAINT config_versions_pk PRIMARY KEY (name, version)
);

CREATE TABLE secrets (
    name            text        NOT NULL,
    version         integer     NOT NULL,
    encrypted_value bytea       NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    CONSTRAINT secrets_pk PRIMARY KEY (name)
);

CREATE TABLE endpoints (
    name             text        NOT NULL,
    version          integer     NOT NULL,
    payload_spec_ref text,
    config_ref       text,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    CONSTRAINT endpoints_pk PRIMARY KEY (name),
    CONSTRAINT endpoints_payload_spec_fk FOREIGN KEY (payload_spec_ref) REFERENCES payload_specs (name),
    CONSTRAINT endpoints_config_fk FOREIGN KEY (config_ref) REFERENCES configs (name)
);

-- Immutable, and kept when the endpoint is deleted: a job stays on the version that was current when it was created.
CREATE TABLE endpoint_versions (
    name             text        NOT NULL,
    version          integer     NOT NULL,
    endpoint_type    text        NOT NULL,
    payload_spec_ref text,
    config_ref       text,
    spec             json        NOT NULL,
    retry_policy     json        NOT NULL,
    secret_refs      text[]      NOT NULL,
    created_at       timestamptz NOT NULL,
    CONSTRAINT endpoint_versions_pk PRIMARY KEY (name, version),
    CONSTRAINT endpoint_versions_type CHECK (endpoint_type IN ('HTTP', 'KAFKA', 'REDIS_STREAM'))
);

-- The secrets that the current version of an endpoint names, so that none of them can be deleted under it.
CREATE TABLE endpoint_secrets (
    endpoint text NOT NULL,
    secret   text NOT NULL,
    CONSTRAINT endpoint_secrets_pk PRIMARY KEY (endpoint, secret),
    CONSTRAINT endpoint_secrets_endpoint_fk FOREIGN KEY (endpoint) REFERENCES endpoints (name) ON DELETE CASCADE,
    CONSTRAINT endpoint_secrets_secret_fk FOREIGN KEY (secret) REFERENCES secrets (name)
);

CREATE INDEX endpoint_secrets_by_secret ON endpoint_secrets (secret);

CREATE INDEX endpoints_by_config ON endpoints (config_ref);

CREATE INDEX endpoints_by_payload_spec ON endpoints (payload_spec_ref);

-- Counters that tell a cache when it is stale: the claim reads them, so that no cache needs to be asked or expire.
CREATE TABLE epochs (
    name  text   NOT NULL,
    value bigint NOT NULL,
    CONSTRAINT epochs_pk PRIMARY KEY (name)
);

INSERT INTO epochs (name, value) VALUES ('secrets', 0);

CREATE TABLE queues (
    queue_id   integer     NOT NULL,
    name       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT queues_pk PRIMARY KEY (queue_id),
    CONSTRAINT queues_name UNIQUE (name),
    -- lane = queue_id * 128 + shard * 8 + priority must fit an integer.
    CONSTRAINT queues_id CHECK (queue_id BETWEEN 0 AND 1000000)
);

INSERT INTO queues (queue_id, name) VALUES (0, 'default');

-- ---------------------------------------------------------------------------------------------------------------------
-- Jobs and what becomes of them. No foreign keys: these tables are hot, and retention removes their rows in batches.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE TABLE jobs (
    job_id              uuid        NOT NULL,
    region              text        NOT NULL DEFAULT 'default',
    endpoint            text        NOT NULL,
    endpoint_version    integer     NOT NULL,
    trigger_type        text        NOT NULL,
    version             integer     NOT NULL DEFAULT 1,
    previous_version_id uuid,
    replaced_by_id      uuid,
    lane                integer     NOT NULL,
    idempotency_key     text,
    input               json,
    created_at          timestamptz NOT NULL,
    -- Of a schedule only: a one-shot job is retired when its execution ends, which nobody has to write down.
    retired_at          timestamptz,
    CONSTRAINT jobs_pk PRIMARY KEY (job_id),
    CONSTRAINT jobs_trigger CHECK (trigger_type IN ('IMMEDIATE', 'DELAYED', 'CRON'))
);

-- GET /jobs by endpoint, newest first (ids are UUIDv7), and the check for jobs before an endpoint is deleted.
CREATE INDEX jobs_by_endpoint ON jobs (endpoint, job_id);

-- The part of a CRON job that moves. The materializer advances next_run_at by compare-and-set.
CREATE TABLE schedules (
    job_id          uuid        NOT NULL,
    -- The first version: what all versions of one schedule have in common.
    root_id         uuid        NOT NULL,
    cron_expression text        NOT NULL,
    timezone        text        NOT NULL,
    starts_at       timestamptz,
    ends_at         timestamptz,
    next_run_at     timestamptz,
    last_tick_at    timestamptz,
    CONSTRAINT schedules_pk PRIMARY KEY (job_id)
);

-- A retired schedule has no next_run_at, so the index holds only what can become due.
CREATE INDEX schedules_due ON schedules (next_run_at) WHERE next_run_at IS NOT NULL;

CREATE INDEX schedules_by_root ON schedules (root_id);

-- Deduplication. A table of its own, so that a key can outlive its job's history, or end before it.
CREATE TABLE idempotency_keys (
    endpoint        text        NOT NULL,
    idempotency_key text        NOT NULL,
    job_id          uuid        NOT NULL,
    -- Half a SHA-256 of the request, to tell a repeated request from another one under the same key.
    fingerprint     uuid        NOT NULL,
    created_at      timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_pk PRIMARY KEY (endpoint, idempotency_key)
);

-- Executions that are not finished; the state is derived, never stored:
--   lease_token set and visible_at in the future: RUNNING; else attempt > 0: RETRYING;
--   else visible_at in the future: PENDING; else QUEUED.
CREATE TABLE exec_live (
    execution_id     uuid        NOT NULL,
    job_id           uuid        NOT NULL,
    region           text        NOT NULL DEFAULT 'default',
    -- queue_id * 128 + shard * 8 + priority
    lane             integer     NOT NULL,
    -- The run time, the retry time or the end of the lease: whoever sees it in the past may claim the row.
    visible_at       timestamptz NOT NULL,
    run_at           timestamptz NOT NULL,
    created_at       timestamptz NOT NULL,
    attempt          smallint    NOT NULL DEFAULT 0,
    -- Attempts that failed: what the retry budget counts.
    failures         smallint    NOT NULL DEFAULT 0,
    -- Attempts that were lost with their worker: they have a limit of their own.
    rescues          smallint    NOT NULL DEFAULT 0,
    config_version   integer,
    -- Of a replay, which takes the newest version; any other execution has its job's.
    endpoint_version integer,
    -- Random per claim: every write after the claim names it, so that a worker that lost its lease changes nothing.
    lease_token      bigint,
    worker_id        uuid,
    started_at       timestamptz,
    CONSTRAINT exec_live_pk PRIMARY KEY (execution_id),
    CONSTRAINT exec_live_counts CHECK (attempt >= 0 AND failures >= 0 AND rescues >= 0),
    CONSTRAINT exec_live_lease CHECK (lease_token IS NULL OR (worker_id IS NOT NULL AND started_at IS NOT NULL))
);

CREATE INDEX exec_live_pick ON exec_live (lane, visible_at);

-- The execution of a one-shot job has the job's id and needs no index to be found.
CREATE INDEX exec_live_by_job ON exec_live (job_id, execution_id) WHERE execution_id <> job_id;

-- History: inserted once, when an execution ends, and never updated. Its row is also the record of the last attempt.
CREATE TABLE executions (
    execution_id     uuid        NOT NULL,
    job_id           uuid        NOT NULL,
    region           text        NOT NULL DEFAULT 'default',
    lane             integer     NOT NULL,
    status           text        NOT NULL,
    attempt_count    smallint    NOT NULL,
    config_version   integer,
    endpoint_version integer,
    worker_id        uuid,
    output           json,
    error            json,
    run_at           timestamptz NOT NULL,
    started_at       timestamptz,
    completed_at     timestamptz NOT NULL,
    created_at       timestamptz NOT NULL,
    CONSTRAINT executions_pk PRIMARY KEY (execution_id),
    CONSTRAINT executions_status CHECK (status IN ('SUCCESS', 'FAILED', 'CANCELLED')),
    CONSTRAINT executions_success CHECK (status <> 'SUCCESS' OR (error IS NULL AND started_at IS NOT NULL))
);

CREATE INDEX executions_by_job ON executions (job_id, execution_id) WHERE execution_id <> job_id;

-- The attempts that were followed by another one, and the lost ones.
CREATE TABLE attempts (
    execution_id   uuid        NOT NULL,
    attempt_number smallint    NOT NULL,
    region         text        NOT NULL DEFAULT 'default',
    status         text        NOT NULL,
    worker_id      uuid,
    output         json,
    error          json,
    started_at     timestamptz NOT NULL,
    completed_at   timestamptz NOT NULL,
    CONSTRAINT attempts_pk PRIMARY KEY (execution_id, attempt_number),
    CONSTRAINT attempts_status CHECK (status IN ('FAILED', 'LOST', 'INTERRUPTED', 'CANCELLED'))
);

CREATE TABLE execution_logs (
    execution_id   uuid        NOT NULL,
    log_id         uuid        NOT NULL,
    region         text        NOT NULL DEFAULT 'default',
    attempt_number smallint    NOT NULL,
    level          text        NOT NULL,
    message        text        NOT NULL,
    logged_at      timestamptz NOT NULL,
    CONSTRAINT execution_logs_pk PRIMARY KEY (execution_id, log_id),
    CONSTRAINT execution_logs_level CHECK (level IN ('DEBUG', 'INFO', 'WARN', 'ERROR'))
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Processes and regions
-- ---------------------------------------------------------------------------------------------------------------------

-- One row per process with the worker role; a silent one's leases are given to others early.
CREATE TABLE workers (
    worker_id    uuid        NOT NULL,
    region       text        NOT NULL DEFAULT 'default',
    host         text        NOT NULL,
    started_at   timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    CONSTRAINT workers_pk PRIMARY KEY (worker_id)
);

CREATE TABLE region_heartbeats (
    region       text        NOT NULL,
    component    text        NOT NULL,
    last_beat_at timestamptz NOT NULL DEFAULT now(),
    status       text        NOT NULL DEFAULT 'ALIVE',
    metadata     json,
    CONSTRAINT region_heartbeats_pk PRIMARY KEY (region, component)
);

CREATE TABLE region_status (
    region     text        NOT NULL,
    alive      boolean     NOT NULL DEFAULT true,
    failed_at  timestamptz,
    adopted_by text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT region_status_pk PRIMARY KEY (region)
);

INSERT INTO region_status (region) VALUES ('default');
