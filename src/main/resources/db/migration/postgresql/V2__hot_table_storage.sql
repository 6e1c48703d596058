-- Rows of exec_live are updated once or twice and deleted within seconds: leave room on the page for the new version of
-- a row, and clean up early and fast instead of after a fifth of the table has died.
ALTER TABLE exec_live SET (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 2,
    autovacuum_vacuum_cost_limit = 2000,
    autovacuum_analyze_scale_factor = 0.05
);
