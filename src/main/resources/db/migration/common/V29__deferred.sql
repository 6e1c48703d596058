-- Executions whose receivers say later how they end. Others, which are nearly all, have no row in it.
CREATE INDEX CONCURRENTLY exec_live_deferred ON exec_live (execution_id) WHERE deferred;
