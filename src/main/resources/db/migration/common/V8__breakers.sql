-- The circuit breakers of endpoints that fail. An endpoint without a row has a closed one.
CREATE TABLE breakers (
    endpoint   text        NOT NULL,
    state      text        NOT NULL,
    -- How often it has opened without having closed in between: each time lasts twice as long.
    openings   integer     NOT NULL,
    changed_at timestamptz NOT NULL,
    -- When somebody may probe: after the opening, or after a prober that was not heard of again.
    retry_at   timestamptz NOT NULL,
    reason     text        NOT NULL,
    CONSTRAINT breakers_pk PRIMARY KEY (endpoint),
    CONSTRAINT breakers_endpoint_fk FOREIGN KEY (endpoint) REFERENCES endpoints (name) ON DELETE CASCADE,
    CONSTRAINT breakers_state CHECK (state IN ('OPEN', 'HALF_OPEN', 'CLOSED'))
);

-- What happened to endpoints by itself, beside what somebody did, which the audit log has.
CREATE TABLE endpoint_events (
    endpoint text        NOT NULL,
    event_id uuid        NOT NULL,
    kind     text        NOT NULL,
    message  text        NOT NULL,
    at       timestamptz NOT NULL,
    CONSTRAINT endpoint_events_pk PRIMARY KEY (endpoint, event_id)
);
