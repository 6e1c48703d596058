-- What the functions for applications need, which only PostgreSQL has.

-- Settings of the processes of a region; null until one has come that knows them.
ALTER TABLE region_status ADD COLUMN events boolean;
ALTER TABLE region_status ADD COLUMN idempotency_key_ttl_ms bigint;

-- Flow keys that are to be looked at, since an application has cancelled a job of them: it must not lock their limits.
CREATE TABLE flow_requests (
    request_id bigint GENERATED ALWAYS AS IDENTITY,
    flow_id    bigint NOT NULL,
    CONSTRAINT flow_requests_pk PRIMARY KEY (request_id)
);
