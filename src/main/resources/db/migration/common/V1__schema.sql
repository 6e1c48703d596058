-- The schema for PostgreSQL 14+ and CockroachDB 24.3+; V2 has what differs between them. Why it has this shape:
-- docs/architecture.md and docs/adr.

-- ---------------------------------------------------------------------------------------------------------------------
-- Endpoints and what they refer to. These tables are small; references between them are foreign keys. JSON is kept as it
-- was written (json, not jsonb): nothing searches in it, and a body goes out with its fields in its template's order.
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

CREATE TABLE endpoints (
    name             text        NOT NULL,
    version          integer     NOT NULL,
    payload_spec_ref text,
    config_ref       text,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    -- Endpoints that get the results of its executions.
    on_success_ref   text,
    on_failure_ref   text,
    CONSTRAINT endpoints_pk PRIMARY KEY (name),
    CONSTRAINT endpoints_payload_spec_fk FOREIGN KEY (payload_spec_ref) REFERENCES payload_specs (name),
    CONSTRAINT endpoints_config_fk FOREIGN KEY (config_ref) REFERENCES configs (name),
    CONSTRAINT endpoints_on_success_fk FOREIGN KEY (on_success_ref) REFERENCES endpoints (name),
    CONSTRAINT endpoints_on_failure_fk FOREIGN KEY (on_failure_ref) REFERENCES endpoints (name)
);

CREATE INDEX endpoints_by_payload_spec ON endpoints (payload_spec_ref);

CREATE INDEX endpoints_by_config ON endpoints (config_ref);

CREATE INDEX endpoints_by_on_success ON endpoints (on_success_ref);

CREATE INDEX endpoints_by_on_failure ON endpoints (on_failure_ref);

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
    -- The queue that its jobs wait in.
    queue_id         integer     NOT NULL DEFAULT 0,
    on_success       text,
    on_failure       text,
    -- Whether an execution whose worker was lost during a delivery is claimed again ('retry') or fails ('fail').
    on_worker_lost   text        NOT NULL DEFAULT 'retry',
    CONSTRAINT endpoint_versions_pk PRIMARY KEY (name, version),
    CONSTRAINT endpoint_versions_queue_fk FOREIGN KEY (queue_id) REFERENCES queues (queue_id),
    CONSTRAINT endpoint_versions_type CHECK (endpoint_type IN ('HTTP', 'KAFKA', 'REDIS_STREAM'))
);

CREATE INDEX endpoint_versions_by_queue ON endpoint_versions (queue_id, name);

-- The secrets that the current version of an endpoint names; the keys keep them from being deleted meanwhile.
CREATE TABLE endpoint_secrets (
    endpoint text NOT NULL,
    secret   text NOT NULL,
    CONSTRAINT endpoint_secrets_pk PRIMARY KEY (endpoint, secret),
    CONSTRAINT endpoint_secrets_endpoint_fk FOREIGN KEY (endpoint) REFERENCES endpoints (name) ON DELETE CASCADE,
    CONSTRAINT endpoint_secrets_secret_fk FOREIGN KEY (secret) REFERENCES secrets (name)
);

CREATE INDEX endpoint_secrets_by_secret ON endpoint_secrets (secret);

-- 'secrets' tells a cache when it is stale: the claim reads it, so that no cache needs to be asked or expire. 'operations'
-- is locked while an operation is created, because their number is limited.
CREATE TABLE epochs (
    name  text   NOT NULL,
    value bigint NOT NULL,
    CONSTRAINT epochs_pk PRIMARY KEY (name)
);

INSERT INTO epochs (name, value) VALUES ('secrets', 0), ('operations', 0);

-- The circuit breakers of endpoints that fail. An endpoint without a row has a closed one.
CREATE TABLE breakers (
    endpoint   text        NOT NULL,
    state      text        NOT NULL,
    -- How often it has opened without having closed in between: each time lasts twice as long.
    openings   integer     NOT NULL,
    changed_at timestamptz NOT NULL,
    -- When a worker may probe: after the opening, or after a prober that was not heard of again.
    retry_at   timestamptz NOT NULL,
    reason     text        NOT NULL,
    CONSTRAINT breakers_pk PRIMARY KEY (endpoint),
    CONSTRAINT breakers_endpoint_fk FOREIGN KEY (endpoint) REFERENCES endpoints (name) ON DELETE CASCADE,
    CONSTRAINT breakers_state CHECK (state IN ('OPEN', 'HALF_OPEN', 'CLOSED'))
);

-- Endpoints whose receivers have said that they are gone: nothing is delivered until the endpoint is enabled again.
CREATE TABLE disabled_endpoints (
    endpoint    text        NOT NULL,
    reason      text        NOT NULL,
    disabled_at timestamptz NOT NULL,
    CONSTRAINT disabled_endpoints_pk PRIMARY KEY (endpoint),
    CONSTRAINT disabled_endpoints_fk FOREIGN KEY (endpoint) REFERENCES endpoints (name) ON DELETE CASCADE
);

-- What happened to endpoints by itself; the audit log has what callers did.
CREATE TABLE endpoint_events (
    endpoint text        NOT NULL,
    event_id uuid        NOT NULL,
    kind     text        NOT NULL,
    message  text        NOT NULL,
    at       timestamptz NOT NULL,
    CONSTRAINT endpoint_events_pk PRIMARY KEY (endpoint, event_id)
);

-- Retention finds old events by it.
CREATE INDEX endpoint_events_by_time ON endpoint_events (at);

-- ---------------------------------------------------------------------------------------------------------------------
-- API keys beside the bootstrap key, and the audit log
-- ---------------------------------------------------------------------------------------------------------------------

CREATE TABLE api_keys (
    key_id       text        NOT NULL,
    name         text        NOT NULL,
    fingerprint  bytea       NOT NULL,
    scopes       text        NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    CONSTRAINT api_keys_pk PRIMARY KEY (key_id)
);

CREATE UNIQUE INDEX api_keys_by_fingerprint ON api_keys (fingerprint);

-- A name stands for one key in the audit log; it is free again when the key is revoked.
CREATE UNIQUE INDEX api_keys_by_name ON api_keys (name) WHERE revoked_at IS NULL;

CREATE TABLE audit_log (
    audit_id       uuid        NOT NULL,
    at             timestamptz NOT NULL,
    actor          text        NOT NULL,
    action         text        NOT NULL,
    resource_kind  text        NOT NULL,
    resource       text        NOT NULL,
    request_id     text        NOT NULL,
    remote_address text        NOT NULL,
    details        json,
    CONSTRAINT audit_log_pk PRIMARY KEY (audit_id)
);

CREATE INDEX audit_log_by_actor ON audit_log (actor, audit_id);

CREATE INDEX audit_log_by_kind ON audit_log (resource_kind, audit_id);

-- Entries of the audit log stay for 30 days at least, even if an attacker controls a server: the role of servers can write
-- an entry and can neither change nor remove one. It is a trigger and not a missing right because a migration does not
-- know the names of roles. Only the owner of the table can take it away.
CREATE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (OLD).at < now() - INTERVAL '30 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'entries of the audit log cannot be changed, and not be removed for 30 days'
        USING ERRCODE = '42501';
END
$$;

CREATE TRIGGER audit_log_is_kept BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION keep_audit_log();

-- ---------------------------------------------------------------------------------------------------------------------
-- Jobs and their executions. No foreign keys: these tables are hot, and retention removes their rows in batches.
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
    -- Of a schedule only: a one-shot job is retired when its execution ends, which needs no write.
    retired_at          timestamptz,
    tags                text[],
    -- The trace that it was created in: its traceparent, and its tracestate after a space.
    trace               text,
    -- The execution whose result it carries. Such a job ends the chain: its own result is reported to no endpoint.
    callback_of         uuid,
    CONSTRAINT jobs_pk PRIMARY KEY (job_id),
    CONSTRAINT jobs_trigger_kind CHECK (trigger_type IN ('IMMEDIATE', 'DELAYED', 'CRON', 'INTERVAL'))
);

-- GET /jobs by endpoint, newest first (ids are UUIDv7), and the check for jobs before an endpoint is deleted.
CREATE INDEX jobs_by_endpoint ON jobs (endpoint, job_id);

-- Finds the newest jobs of a tag in the order of a list; a job without tags has no rows here.
CREATE TABLE job_tags (
    tag    text NOT NULL,
    job_id uuid NOT NULL,
    CONSTRAINT job_tags_pk PRIMARY KEY (tag, job_id)
);

-- The part of a CRON or INTERVAL job that moves. The scheduler advances next_run_at by compare-and-set.
CREATE TABLE schedules (
    job_id             uuid        NOT NULL,
    -- The first version: what all versions of one schedule have in common.
    root_id            uuid        NOT NULL,
    -- Null for an INTERVAL, whose ticks are counted from starts_at, every_ms apart.
    cron_expression    text,
    every_ms           bigint,
    timezone           text        NOT NULL,
    starts_at          timestamptz,
    ends_at            timestamptz,
    max_fires          integer,
    catch_up           text        NOT NULL DEFAULT 'ALL',
    catch_up_max       integer     NOT NULL DEFAULT 1000,
    catch_up_window_ms bigint,
    overlap            text        NOT NULL DEFAULT 'ALLOW',
    dst_gap            text        NOT NULL DEFAULT 'SHIFT',
    dst_overlap        text        NOT NULL DEFAULT 'FIRST',
    jitter_ms          bigint      NOT NULL DEFAULT 0,
    next_run_at        timestamptz,
    last_tick_at       timestamptz,
    -- Ticks that have fired, which is what max_fires limits.
    fires              bigint      NOT NULL DEFAULT 0,
    -- A tick that waits for the executions before it to end.
    buffered_tick      timestamptz,
    -- From when on no tick is expected, whatever the reason.
    ended_at           timestamptz,
    -- The version of the time zone database that next_run_at was computed with.
    tz_rules           text        NOT NULL DEFAULT '',
    -- Why it cannot be advanced. It has no next_run_at then, so that it does not hold up the others.
    set_aside_reason   text,
    -- Older ticks are not in the ledger any more, or never were.
    ledger_from        timestamptz,
    -- The version that this one has replaced.
    replaces_id        uuid,
    CONSTRAINT schedules_pk PRIMARY KEY (job_id)
);

-- A retired schedule has no next_run_at, so the index holds only what can become due.
CREATE INDEX schedules_due ON schedules (next_run_at) WHERE next_run_at IS NOT NULL;

CREATE INDEX schedules_buffered ON schedules (job_id) WHERE buffered_tick IS NOT NULL;

CREATE INDEX schedules_by_root ON schedules (root_id);

-- A version has one successor, whatever the programs do.
CREATE UNIQUE INDEX schedules_one_successor ON schedules (replaces_id) WHERE replaces_id IS NOT NULL;

-- The ledger: one row for every tick of a schedule, with its outcome.
CREATE TABLE ticks (
    job_id       uuid        NOT NULL,
    scheduled_at timestamptz NOT NULL,
    outcome      text        NOT NULL,
    execution_id uuid,
    -- From the tick's time to the decision about it.
    lateness_ms  bigint      NOT NULL,
    CONSTRAINT ticks_pk PRIMARY KEY (job_id, scheduled_at),
    CONSTRAINT ticks_outcome CHECK (outcome IN
        ('FIRED', 'SKIPPED_OVERLAP', 'SKIPPED_PAUSED', 'COLLAPSED', 'MISSED', 'SUPPRESSED_DST')),
    CONSTRAINT ticks_fired CHECK ((outcome = 'FIRED') = (execution_id IS NOT NULL))
);

-- When a schedule must not fire. Past pauses stay: a scheduler that comes late must still know them.
CREATE TABLE pauses (
    root_id   uuid        NOT NULL,
    paused_at timestamptz NOT NULL,
    -- Null when it has no end.
    until     timestamptz,
    reason    text,
    CONSTRAINT pauses_pk PRIMARY KEY (root_id, paused_at)
);

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
    -- The run time, the retry time or the end of the lease: a worker that sees it in the past may claim the row.
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

-- V2 makes the index of the claim, on (lane, visible_at).

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

-- Dead letters are found, filtered by class and replayed in bulk. A success is in neither index and costs nothing.
CREATE INDEX executions_unsuccessful ON executions (status, execution_id) WHERE status <> 'SUCCESS';

CREATE INDEX executions_failed_by_type ON executions ((error ->> 'type'), execution_id) WHERE status = 'FAILED';

-- Which executions were replayed, and as which ones the last time. History is never updated, so this is apart from it.
CREATE TABLE replays (
    execution_id uuid        NOT NULL,
    replay_id    uuid        NOT NULL,
    replayed_at  timestamptz NOT NULL,
    CONSTRAINT replays_pk PRIMARY KEY (execution_id)
);

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

-- ---------------------------------------------------------------------------------------------------------------------
-- Events of executions: an outbox, and the log that is made of it
-- ---------------------------------------------------------------------------------------------------------------------

-- Written by the statements that make the changes, where TE_EVENTS_ENABLED says so. Rows become visible in the order of
-- their commits, which is not that of their ids; so readers move them to the log first.
CREATE TABLE event_outbox (
    write_id     bigint      GENERATED ALWAYS AS IDENTITY,
    execution_id uuid        NOT NULL,
    job_id       uuid        NOT NULL,
    kind         text        NOT NULL,
    attempt      smallint    NOT NULL,
    error_type   text,
    next_run_at  timestamptz,
    at           timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_outbox_pk PRIMARY KEY (write_id)
);

-- Positions have no gaps and become visible in their order, so that a reader of one has read all before it.
CREATE TABLE event_log (
    position     bigint      NOT NULL,
    execution_id uuid        NOT NULL,
    job_id       uuid        NOT NULL,
    -- Null when the job was removed before the event came here.
    endpoint     text,
    kind         text        NOT NULL,
    attempt      smallint    NOT NULL,
    error_type   text,
    next_run_at  timestamptz,
    at           timestamptz NOT NULL,
    CONSTRAINT event_log_pk PRIMARY KEY (position)
);

-- Positions in the log: the last one that was assigned ('log') and that was removed ('removed'), and how far each
-- publisher has come, with the process that publishes at the moment.
CREATE TABLE event_positions (
    name        text   NOT NULL,
    position    bigint NOT NULL,
    owner       uuid,
    owned_until timestamptz,
    CONSTRAINT event_positions_pk PRIMARY KEY (name)
);

INSERT INTO event_positions (name, position) VALUES ('log', 0), ('removed', 0);

-- ---------------------------------------------------------------------------------------------------------------------
-- Bulk operations and duties that go through a table in small steps
-- ---------------------------------------------------------------------------------------------------------------------

CREATE TABLE operations (
    operation_id   uuid        NOT NULL,
    action         text        NOT NULL,
    selection      json        NOT NULL,
    status         text        NOT NULL DEFAULT 'RUNNING',
    rate_per_sec   integer     NOT NULL,
    -- How many executions it may change; null when there is no limit.
    max_executions bigint,
    -- How many there were when it was created; null when there were too many to count.
    total          bigint,
    -- The last execution that was looked at. It is advanced by compare-and-set, together with the changes.
    position       uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    done           bigint      NOT NULL DEFAULT 0,
    skipped        bigint      NOT NULL DEFAULT 0,
    -- When its rate allows the next batch.
    next_at        timestamptz NOT NULL,
    -- In a row; a batch that succeeds resets them.
    failures       integer     NOT NULL DEFAULT 0,
    created_at     timestamptz NOT NULL,
    started_at     timestamptz,
    ended_at       timestamptz,
    CONSTRAINT operations_pk PRIMARY KEY (operation_id),
    CONSTRAINT operations_status CHECK (status IN ('RUNNING', 'SUCCEEDED', 'CANCELLED', 'FAILED')),
    CONSTRAINT operations_end CHECK ((status = 'RUNNING') = (ended_at IS NULL))
);

CREATE INDEX operations_running ON operations (operation_id) WHERE status = 'RUNNING';

-- How far a duty has come that goes through a table in the order of its ids.
CREATE TABLE sweeps (
    name     text NOT NULL,
    position uuid NOT NULL,
    CONSTRAINT sweeps_pk PRIMARY KEY (name)
);

INSERT INTO sweeps (name, position) VALUES ('idempotency_keys', '00000000-0000-0000-0000-000000000000');

-- ---------------------------------------------------------------------------------------------------------------------
-- Processes and regions
-- ---------------------------------------------------------------------------------------------------------------------

-- One row per process with the worker role; the leases of a silent one are given to others early.
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

-- Regions are registered by the processes that run in them. A region has lanes of its own, which its number tells:
-- lane = queue_id * 128 + shard * 8 + priority, where the shard is the number of the region for jobs, and 8 more for ticks.
-- So claims name what may run, and do not filter.
CREATE TABLE region_status (
    region     text        NOT NULL,
    alive      boolean     NOT NULL DEFAULT true,
    failed_at  timestamptz,
    adopted_by text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    number     smallint    NOT NULL DEFAULT 0,
    CONSTRAINT region_status_pk PRIMARY KEY (region),
    CONSTRAINT region_status_number CHECK (number BETWEEN 0 AND 7)
);

CREATE UNIQUE INDEX region_status_by_number ON region_status (number);
