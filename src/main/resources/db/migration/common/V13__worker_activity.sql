-- What each worker tells of itself with its heartbeat, for display; null of a worker that tells nothing.
ALTER TABLE workers ADD COLUMN slots integer;
ALTER TABLE workers ADD COLUMN used_slots integer;
-- How many executions it has ended within a minute, and its 20 busiest endpoints.
ALTER TABLE workers ADD COLUMN activity json;
