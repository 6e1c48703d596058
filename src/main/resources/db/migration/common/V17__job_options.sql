-- Settings that few jobs have: a condition on their parents, a timeout, which failures are retried.
ALTER TABLE jobs ADD COLUMN options json;
