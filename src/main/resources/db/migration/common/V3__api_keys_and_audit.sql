-- API keys beside the bootstrap key, and who changed what.

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
