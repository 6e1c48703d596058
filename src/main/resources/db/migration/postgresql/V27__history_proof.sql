-- History by time, step 2 of 3: reads the tables once. Nobody waits for it.

DO $$
DECLARE
    history text;
BEGIN
    FOREACH history IN ARRAY ARRAY['executions', 'attempts', 'execution_logs'] LOOP
        IF EXISTS (SELECT 1 FROM pg_constraint c
            WHERE c.conrelid = history::regclass AND c.conname = history || '_until') THEN
            EXECUTE format('ALTER TABLE %I VALIDATE CONSTRAINT %I', history, history || '_until');
        END IF;
    END LOOP;
END
$$;
