-- Queues with settings, which can be paused.
ALTER TABLE queues ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE queues ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
-- Its share of the claims while other queues have work too.
ALTER TABLE queues ADD COLUMN weight smallint NOT NULL DEFAULT 1;
-- An execution gains one priority for each such time that it has waited.
ALTER TABLE queues ADD COLUMN aging_ms bigint;
ALTER TABLE queues ADD COLUMN paused_at timestamptz;
-- Null when the pause has no end.
ALTER TABLE queues ADD COLUMN paused_until timestamptz;
ALTER TABLE queues ADD COLUMN pause_reason text;
-- From when on it runs again.
ALTER TABLE queues ADD COLUMN resumed_at timestamptz;
-- A queue that was deleted keeps its row, so that its number and its name mean the same in what has ended; a queue of
-- that name that is created again is this one.
ALTER TABLE queues ADD COLUMN deleted_at timestamptz;

ALTER TABLE queues ADD CONSTRAINT queues_weight CHECK (weight BETWEEN 1 AND 100) NOT VALID;
ALTER TABLE queues ADD CONSTRAINT queues_aging CHECK (aging_ms > 0) NOT VALID;

-- Changes with every change of a queue that was made by a caller, so that workers can look cheaply whether one was
-- paused.
INSERT INTO epochs (name, value) VALUES ('queues', 0);
