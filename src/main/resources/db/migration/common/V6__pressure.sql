-- Pressure: signals from outside, and what each worker measures of itself.

-- How hard something is pressed that only others know of. Few rows, since each worker reads them once a second.
CREATE TABLE pressure_signals (
    source     text             NOT NULL,
    value      float8           NOT NULL,
    set_at     timestamptz      NOT NULL,
    expires_at timestamptz      NOT NULL,
    CONSTRAINT pressure_signals_pk PRIMARY KEY (source),
    CONSTRAINT pressure_signals_value CHECK (value BETWEEN 0 AND 1)
);

-- An object with the pressure of each source, for display.
ALTER TABLE workers ADD COLUMN pressure json;
ALTER TABLE workers ADD COLUMN pressure_at timestamptz;

-- Locked by those who add a signal, so that they can be counted.
INSERT INTO epochs (name, value) VALUES ('pressure', 0);

-- Whether its running executions give up their slots to those of priority 0.
ALTER TABLE endpoint_versions ADD COLUMN preemptible boolean NOT NULL DEFAULT false;
