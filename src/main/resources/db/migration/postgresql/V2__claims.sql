-- What a claim reads: the rows of a lane in the order of their times.
CREATE INDEX exec_live_pick ON exec_live (lane, visible_at);

-- Rows of exec_live are updated once or twice and deleted within seconds: leave room on the page for the new version of
-- a row, and vacuum early and fast instead of after a fifth of the table has died. To give pages back at the end of the
-- table takes a lock that stops every claim, and a table without pages looks as if reading all of it were free.
ALTER TABLE exec_live SET (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 2,
    autovacuum_vacuum_cost_limit = 2000,
    autovacuum_analyze_scale_factor = 0.05,
    vacuum_truncate = false
);

-- What the trigger of the audit log calls must not depend on the search path of the writer.
ALTER FUNCTION keep_audit_log() SET search_path = pg_catalog;
