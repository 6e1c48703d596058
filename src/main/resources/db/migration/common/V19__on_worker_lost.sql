-- What becomes of an execution whose worker was lost while it may have been delivering: it is claimed again, or it fails.
ALTER TABLE endpoint_versions ADD COLUMN on_worker_lost text NOT NULL DEFAULT 'retry';
