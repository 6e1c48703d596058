-- Approvals: executions that wait for the decision of a person.

-- One mode more, and one type. Under other names, since CockroachDB does not drop and add a name in one transaction.
ALTER TABLE deferrals DROP CONSTRAINT deferrals_mode;
ALTER TABLE deferrals ADD CONSTRAINT deferrals_known_mode CHECK (mode IN ('callback', 'poll', 'approval')) NOT VALID;
ALTER TABLE endpoint_versions DROP CONSTRAINT endpoint_versions_known_type;
ALTER TABLE endpoint_versions ADD CONSTRAINT endpoint_versions_type_known
    CHECK (endpoint_type IN ('HTTP', 'KAFKA', 'REDIS_STREAM', 'WORKFLOW', 'APPROVAL')) NOT VALID;

-- The latest question of an execution, kept as long as it.
CREATE TABLE approvals (
    execution_id    uuid        NOT NULL,
    attempt         smallint    NOT NULL,
    title           text        NOT NULL,
    details         text,
    -- The endpoint that tells people of it.
    announce        text        NOT NULL,
    asked_at        timestamptz NOT NULL,
    deadline        timestamptz NOT NULL,
    remind_every_ms bigint,
    remind_at       timestamptz,
    reminders       integer     NOT NULL DEFAULT 0,
    on_timeout      text        NOT NULL,
    decision        text,
    decided_by      text,
    -- Whether by the address of the page, under any name, or by an API key.
    decided_via     text,
    comment         text,
    address         text,
    decided_at      timestamptz,
    CONSTRAINT approvals_pk PRIMARY KEY (execution_id),
    CONSTRAINT approvals_decision CHECK ((decision IS NULL) = (decided_at IS NULL)
        AND (decision IS NULL OR (decision IN ('approve', 'reject') AND decided_via IN ('link', 'key')))),
    CONSTRAINT approvals_on_timeout CHECK (on_timeout IN ('fail', 'approve', 'reject')),
    CONSTRAINT approvals_reminders CHECK (remind_every_ms > 0 AND reminders >= 0)
);

-- Questions without an answer.
CREATE INDEX approvals_open ON approvals (execution_id) WHERE decision IS NULL;
