-- What was imported: an import that was broken off is gone on with, and one that has ended is not run once more, over what
-- has become of its rows.
CREATE TABLE imports (
    export_id  uuid        NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at   timestamptz,
    CONSTRAINT imports_pk PRIMARY KEY (export_id)
);
