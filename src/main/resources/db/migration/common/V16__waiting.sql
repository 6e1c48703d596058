-- Executions that wait for their parents; those that are to be skipped come first.
CREATE INDEX CONCURRENTLY exec_live_waiting ON exec_live (trigger_rule, execution_id) WHERE trigger_rule IS NOT NULL;
