-- Endpoints whose receivers have said that they are gone: nothing is delivered until somebody enables them again.
CREATE TABLE disabled_endpoints (
    endpoint    text        NOT NULL,
    reason      text        NOT NULL,
    disabled_at timestamptz NOT NULL,
    CONSTRAINT disabled_endpoints_pk PRIMARY KEY (endpoint),
    CONSTRAINT disabled_endpoints_fk FOREIGN KEY (endpoint) REFERENCES endpoints (name) ON DELETE CASCADE
);
