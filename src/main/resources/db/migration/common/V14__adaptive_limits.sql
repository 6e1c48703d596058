-- How many executions of an endpoint run at once, found out by the workers from the answers of its receiver. It holds
-- for the endpoint's own key, beside the cap that is configured. Null where a receiver has refused nothing.
ALTER TABLE flow_policies ADD COLUMN adaptive_limit integer;
-- The limit at which the receiver refused last; null when it has refused nothing since this began.
ALTER TABLE flow_policies ADD COLUMN adaptive_ceiling integer;
-- Grows with each change, so that of two workers that change it at once one does.
ALTER TABLE flow_policies ADD COLUMN adaptive_changes integer NOT NULL DEFAULT 0;
ALTER TABLE flow_policies ADD COLUMN adaptive_at timestamptz;
ALTER TABLE flow_policies ADD COLUMN refused_at timestamptz;

ALTER TABLE flow_policies ADD CONSTRAINT flow_policies_adaptive CHECK (
    (adaptive_limit > 0 AND adaptive_at IS NOT NULL AND NOT fifo) OR adaptive_limit IS NULL) NOT VALID;

CREATE INDEX flow_policies_adapting ON flow_policies (endpoint) WHERE adaptive_limit IS NOT NULL;
