-- The lines of flow keys, and what of them is free.
CREATE INDEX CONCURRENTLY exec_live_lines ON exec_live (flow_id, flow_state, flow_line, run_at, execution_id)
    WHERE flow_id IS NOT NULL AND flow_state < 2;
