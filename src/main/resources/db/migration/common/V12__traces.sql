-- The trace that a job was created in: its traceparent, and its tracestate after a space. A job without one has nothing
-- here, and costs nothing more than before.
ALTER TABLE jobs ADD COLUMN trace text;
