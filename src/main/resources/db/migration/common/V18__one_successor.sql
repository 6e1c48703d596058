-- The version that a version of a schedule has replaced. A version has one successor, whatever the programs do. Older rows
-- have no value, so that a schedule that was forked before does not keep this from being applied: 'taskexec check' finds it.
ALTER TABLE schedules ADD COLUMN replaces_id uuid;

CREATE UNIQUE INDEX schedules_one_successor ON schedules (replaces_id) WHERE replaces_id IS NOT NULL;

-- Locked by those who create operations, which are limited in number.
INSERT INTO epochs (name, value) VALUES ('operations', 0);
