-- What runs of queues that have limits.
CREATE INDEX CONCURRENTLY exec_live_queue_holders ON exec_live (lane) WHERE holds_queue AND lease_token IS NOT NULL;
