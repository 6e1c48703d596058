-- What a claim reads: the rows of a lane in the order of their times. What becomes due goes to the end of its lane, and so
-- do leases: without buckets one range of the cluster would take all writes. A claim merges the beginnings of the buckets.
CREATE INDEX exec_live_pick_spread ON exec_live (lane, visible_at) USING HASH WITH (bucket_count = 8);

-- Rows of exec_live are deleted within seconds; a short garbage-collection window keeps claims from scanning tombstones.
ALTER TABLE exec_live CONFIGURE ZONE USING gc.ttlseconds = 900;
