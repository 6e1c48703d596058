-- Executions that failed are found, filtered by class and repeated in bulk, without a look at the many that did not fail.

-- A success is in none of these indexes and costs nothing more than before.
CREATE INDEX executions_unsuccessful ON executions (status, execution_id) WHERE status <> 'SUCCESS';

CREATE INDEX executions_failed_by_type ON executions ((error ->> 'type'), execution_id) WHERE status = 'FAILED';

-- Which executions have been repeated, and as which ones the last time. History is never updated, so it stands beside it.
CREATE TABLE replays (
    execution_id uuid        NOT NULL,
    replay_id    uuid        NOT NULL,
    replayed_at  timestamptz NOT NULL,
    CONSTRAINT replays_pk PRIMARY KEY (execution_id)
);

-- What is done to many executions, one small batch after the other.
CREATE TABLE operations (
    operation_id   uuid        NOT NULL,
    action         text        NOT NULL,
    selection      json        NOT NULL,
    status         text        NOT NULL DEFAULT 'RUNNING',
    rate_per_sec   integer     NOT NULL,
    -- How many executions it is to change at most; null for all that there are.
    max_executions bigint,
    -- How many there were when it was created; null when there were too many to count.
    total          bigint,
    -- The last execution that has been looked at. It is moved on by compare-and-set, together with what was done.
    position       uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    done           bigint      NOT NULL DEFAULT 0,
    skipped        bigint      NOT NULL DEFAULT 0,
    -- Not before this does its rate allow more.
    next_at        timestamptz NOT NULL,
    -- In a row; a batch that succeeds forgets them.
    failures       integer     NOT NULL DEFAULT 0,
    created_at     timestamptz NOT NULL,
    started_at     timestamptz,
    ended_at       timestamptz,
    CONSTRAINT operations_pk PRIMARY KEY (operation_id),
    CONSTRAINT operations_status CHECK (status IN ('RUNNING', 'SUCCEEDED', 'CANCELLED', 'FAILED')),
    CONSTRAINT operations_end CHECK ((status = 'RUNNING') = (ended_at IS NULL))
);

CREATE INDEX operations_running ON operations (operation_id) WHERE status = 'RUNNING';
