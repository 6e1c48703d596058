-- Executions that may expire, by their times; others are not in it and cost nothing.
CREATE INDEX CONCURRENTLY exec_live_expiring ON exec_live (expires_at) WHERE expires_at IS NOT NULL;
