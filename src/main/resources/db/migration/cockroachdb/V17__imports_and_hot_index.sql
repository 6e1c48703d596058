-- What was imported: an import that was broken off is gone on with, and one that has ended is not run once more, over what
-- has become of its rows.
CREATE TABLE imports (
    export_id  uuid        NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at   timestamptz,
    CONSTRAINT imports_pk PRIMARY KEY (export_id)
);

-- What becomes due goes to the end of its lane, and so do leases: without buckets one range of the cluster would take all
-- writes. A claim merges the beginnings of the buckets.
CREATE INDEX exec_live_pick_spread ON exec_live (lane, visible_at) USING HASH WITH (bucket_count = 8);

DROP INDEX exec_live@exec_live_pick;
