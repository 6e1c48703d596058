-- Deferral: executions whose receiver says later how an attempt ends.

-- The first attempt whose callback is taken. An attempt that failed sets it behind itself; one that was lost does not.
ALTER TABLE exec_live ADD COLUMN callback_from smallint NOT NULL DEFAULT 1;
-- Its attempt was delivered and has not ended. It has a lease only while a worker looks after it.
ALTER TABLE exec_live ADD COLUMN deferred boolean NOT NULL DEFAULT false;

ALTER TABLE exec_live ADD CONSTRAINT exec_live_deferral CHECK (
    callback_from BETWEEN 1 AND attempt + 1
    AND (NOT deferred OR (attempt > 0 AND started_at IS NOT NULL AND trigger_rule IS NULL))) NOT VALID;

ALTER TABLE endpoint_versions ADD COLUMN completion json;

-- The terms of the last attempt that was deferred, kept as long as the execution.
CREATE TABLE deferrals (
    execution_id  uuid        NOT NULL,
    -- A receiver may ask for more time before its answer is recorded.
    attempt       smallint    NOT NULL,
    mode          text        NOT NULL,
    poll_every_ms bigint,
    poll_url      text,
    since         timestamptz NOT NULL,
    deadline      timestamptz NOT NULL,
    -- The longest that its receiver may be silent, and its last sign of life.
    heartbeat_ms  bigint,
    heard_at      timestamptz NOT NULL,
    CONSTRAINT deferrals_pk PRIMARY KEY (execution_id),
    CONSTRAINT deferrals_mode CHECK (mode IN ('callback', 'poll')),
    CONSTRAINT deferrals_poll CHECK ((mode = 'poll') = (poll_url IS NOT NULL AND poll_every_ms > 0)),
    CONSTRAINT deferrals_heartbeat CHECK (heartbeat_ms > 0)
);

-- What receivers have reported of the latest attempt, kept as long as the execution.
CREATE TABLE execution_progress (
    execution_id uuid             NOT NULL,
    attempt      smallint         NOT NULL,
    done         double precision NOT NULL,
    total        double precision,
    message      text,
    reported_at  timestamptz      NOT NULL,
    -- The rate is that since the beginning of a window, which moves on when the next one has begun long enough ago.
    window_done  double precision NOT NULL,
    window_at    timestamptz      NOT NULL,
    next_done    double precision NOT NULL,
    next_at      timestamptz      NOT NULL,
    CONSTRAINT execution_progress_pk PRIMARY KEY (execution_id),
    CONSTRAINT execution_progress_values CHECK (done >= 0 AND total >= 0)
);

-- The progress that a receiver has reported, with the status that it has done so in.
ALTER TABLE event_outbox ADD COLUMN detail json;
ALTER TABLE event_log ADD COLUMN detail json;
