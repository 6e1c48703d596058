-- Dependencies: jobs that wait until others have ended.

-- When the child may run: 'all_success' and so on; null for a job without parents.
ALTER TABLE jobs ADD COLUMN trigger_rule text;

-- Whether others wait for it: its end is counted for them.
ALTER TABLE exec_live ADD COLUMN has_children boolean NOT NULL DEFAULT false;

-- While it waits for its parents: the number of its rule, negative when that cannot hold any more. Null otherwise.
ALTER TABLE exec_live ADD COLUMN trigger_rule smallint;

-- Its parents by how they have ended; null for an execution without parents.
ALTER TABLE exec_live ADD COLUMN parents_open smallint;
ALTER TABLE exec_live ADD COLUMN parents_succeeded smallint;
ALTER TABLE exec_live ADD COLUMN parents_failed smallint;
ALTER TABLE exec_live ADD COLUMN parents_skipped smallint;

-- How long it waits from the moment when its rule holds; null for one that has a run time, or none.
ALTER TABLE exec_live ADD COLUMN ready_delay_ms bigint;

ALTER TABLE exec_live ADD CONSTRAINT exec_live_parents CHECK (
    (parents_open IS NULL OR (parents_open >= 0 AND parents_succeeded >= 0 AND parents_failed >= 0
        AND parents_skipped >= 0))
    AND (trigger_rule IS NULL OR (parents_open IS NOT NULL AND lease_token IS NULL))) NOT VALID;

-- One state more: 3 waits for its parents, and is not in the line of its key yet. Under another name, since CockroachDB
-- does not drop and add a name in one transaction.
ALTER TABLE exec_live DROP CONSTRAINT exec_live_flow;
ALTER TABLE exec_live ADD CONSTRAINT exec_live_flow_state CHECK (
    flow_state BETWEEN 0 AND 3 AND (flow_id IS NOT NULL OR flow_state = 0)
    AND (flow_id IS NULL) = (flow_line IS NULL)) NOT VALID;

-- One status more.
ALTER TABLE executions DROP CONSTRAINT executions_final_status;
ALTER TABLE executions ADD CONSTRAINT executions_end_status
    CHECK (status IN ('SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED', 'SKIPPED')) NOT VALID;

-- Executions that wait for others, kept as long as the child.
CREATE TABLE job_edges (
    child_id  uuid    NOT NULL,
    parent_id uuid    NOT NULL,
    -- How the child names its parent in templates.
    name      text    NOT NULL,
    -- Whether the parent had ended when the edge was made: then the child has counted it, and its end does not.
    ended     boolean NOT NULL,
    CONSTRAINT job_edges_pk PRIMARY KEY (child_id, parent_id)
);

CREATE INDEX job_edges_by_parent ON job_edges (parent_id);

-- Parents that have ended and that their children have not counted yet. The statement that ends a parent writes its row.
CREATE TABLE ended_parents (
    execution_id uuid NOT NULL,
    status       text NOT NULL,
    CONSTRAINT ended_parents_pk PRIMARY KEY (execution_id)
);
