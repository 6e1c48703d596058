-- Labels by which people find their jobs again. The jobs keep them to show them; the table finds the newest jobs of a tag
-- in the order of a list, and costs nothing for a job without one.
ALTER TABLE jobs ADD COLUMN tags text[];

CREATE TABLE job_tags (
    tag    text NOT NULL,
    job_id uuid NOT NULL,
    CONSTRAINT job_tags_pk PRIMARY KEY (tag, job_id)
);

-- The queue that the jobs of a version wait in.
ALTER TABLE endpoint_versions ADD COLUMN queue_id integer NOT NULL DEFAULT 0;

ALTER TABLE endpoint_versions ADD CONSTRAINT endpoint_versions_queue_fk FOREIGN KEY (queue_id) REFERENCES queues (queue_id);

CREATE INDEX endpoint_versions_by_queue ON endpoint_versions (queue_id, name);

-- How far a duty has come that walks through a table in small steps, in the order of its ids.
CREATE TABLE sweeps (
    name     text NOT NULL,
    position uuid NOT NULL,
    CONSTRAINT sweeps_pk PRIMARY KEY (name)
);

INSERT INTO sweeps (name, position) VALUES ('idempotency_keys', '00000000-0000-0000-0000-000000000000');
