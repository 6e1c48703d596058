-- What happens to executions, for those who follow it: an outbox, and the log that is made of it.

-- Written by the statements that make the changes, where TE_EVENTS_ENABLED says so. Rows become visible in the order of
-- their commits, which is not that of their ids; so nobody reads here, but who wants to read moves them to the log.
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

-- Positions have no gaps and become visible in their order, so that who has read one has read all before it.
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

-- Places in the log: the last position that was given ('log') and that was removed ('removed'), and how far each of
-- those has come that publish the log elsewhere, with who may do so at the moment.
CREATE TABLE event_positions (
    name        text   NOT NULL,
    position    bigint NOT NULL,
    owner       uuid,
    owned_until timestamptz,
    CONSTRAINT event_positions_pk PRIMARY KEY (name)
);

INSERT INTO event_positions (name, position) VALUES ('log', 0), ('removed', 0);
