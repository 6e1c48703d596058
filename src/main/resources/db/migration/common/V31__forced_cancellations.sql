-- Cancellations with force of workflows: what is locked at first is cancelled later, in the same way.

-- Whether what runs is cancelled too, and what would run whatever happens.
ALTER TABLE workflow_runs ADD COLUMN forced boolean NOT NULL DEFAULT false;
