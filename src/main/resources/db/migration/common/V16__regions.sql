-- A region has lanes of its own, which its number tells: lane = queue_id * 128 + shard * 8 + priority, where the shard is
-- the number of the region for jobs, and 8 more for ticks. So claims name what may run, and do not filter.
ALTER TABLE region_status
  ADD COLUMN number smallint NOT NULL DEFAULT 0 CONSTRAINT region_status_number CHECK (number BETWEEN 0 AND 7);

CREATE UNIQUE INDEX region_status_by_number ON region_status (number);

-- Regions are registered by the processes that run in them. Where there is no work yet, the first one gets the number 0,
-- whatever its name is; work from before belongs to 'default'.
DELETE FROM region_status
WHERE NOT EXISTS (SELECT 1 FROM jobs) AND NOT EXISTS (SELECT 1 FROM region_heartbeats);
