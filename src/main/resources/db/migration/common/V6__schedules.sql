-- Intervals beside cron expressions, what becomes of ticks that cannot fire in time, and the ledger that proves it.

-- NOT VALID: the rows that are there satisfy the narrower check that it replaces, and need not be read.
ALTER TABLE jobs ADD CONSTRAINT jobs_trigger_kind
    CHECK (trigger_type IN ('IMMEDIATE', 'DELAYED', 'CRON', 'INTERVAL')) NOT VALID;

ALTER TABLE jobs DROP CONSTRAINT jobs_trigger;

ALTER TABLE schedules ALTER COLUMN cron_expression DROP NOT NULL;

-- Of an INTERVAL, which has no cron_expression; its ticks are counted from starts_at.
ALTER TABLE schedules ADD COLUMN every_ms bigint;
ALTER TABLE schedules ADD COLUMN max_fires integer;
ALTER TABLE schedules ADD COLUMN catch_up text NOT NULL DEFAULT 'ALL';
ALTER TABLE schedules ADD COLUMN catch_up_max integer NOT NULL DEFAULT 1000;
ALTER TABLE schedules ADD COLUMN catch_up_window_ms bigint;
ALTER TABLE schedules ADD COLUMN overlap text NOT NULL DEFAULT 'ALLOW';
ALTER TABLE schedules ADD COLUMN dst_gap text NOT NULL DEFAULT 'SHIFT';
ALTER TABLE schedules ADD COLUMN dst_overlap text NOT NULL DEFAULT 'FIRST';
ALTER TABLE schedules ADD COLUMN jitter_ms bigint NOT NULL DEFAULT 0;

-- Ticks that have fired, which is what max_fires limits.
ALTER TABLE schedules ADD COLUMN fires bigint NOT NULL DEFAULT 0;
-- A tick that waits for the executions before it to end.
ALTER TABLE schedules ADD COLUMN buffered_tick timestamptz;
-- From when on no tick is expected any more, whatever the reason.
ALTER TABLE schedules ADD COLUMN ended_at timestamptz;
-- The version of the time zone database that next_run_at was computed with.
ALTER TABLE schedules ADD COLUMN tz_rules text NOT NULL DEFAULT '';
-- Why it cannot be moved on. It has no next_run_at then, so that it is not in the way of the others.
ALTER TABLE schedules ADD COLUMN set_aside_reason text;

-- Older ticks are not in the ledger any more, or never were.
ALTER TABLE schedules ADD COLUMN ledger_from timestamptz;

UPDATE schedules SET ledger_from = coalesce(next_run_at, now());

CREATE INDEX schedules_buffered ON schedules (job_id) WHERE buffered_tick IS NOT NULL;

-- One row for every tick of a schedule, with what became of it.
CREATE TABLE ticks (
    job_id       uuid        NOT NULL,
    scheduled_at timestamptz NOT NULL,
    outcome      text        NOT NULL,
    execution_id uuid,
    -- From the tick's time to the decision about it.
    lateness_ms  bigint      NOT NULL,
    CONSTRAINT ticks_pk PRIMARY KEY (job_id, scheduled_at),
    CONSTRAINT ticks_outcome CHECK (outcome IN
        ('FIRED', 'SKIPPED_OVERLAP', 'SKIPPED_PAUSED', 'COLLAPSED', 'MISSED', 'SUPPRESSED_DST')),
    CONSTRAINT ticks_fired CHECK ((outcome = 'FIRED') = (execution_id IS NOT NULL))
);

-- When a schedule is not to fire. Past pauses stay: a scheduler that comes late must still know of them.
CREATE TABLE pauses (
    root_id   uuid        NOT NULL,
    paused_at timestamptz NOT NULL,
    -- Null for good.
    until     timestamptz,
    reason    text,
    CONSTRAINT pauses_pk PRIMARY KEY (root_id, paused_at)
);
