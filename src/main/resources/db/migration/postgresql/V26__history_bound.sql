-- History by time, step 1 of 3: a table that has rows becomes the partition of all that is older than a day ahead. The
-- proof that it holds nothing younger is made here and in the next step, while it is read and written. An empty table
-- needs none: it becomes the partition of whatever belongs to no day.

DO $$
DECLARE
    history text;
    last_id uuid;
    newest  timestamptz := now();
    is_old  boolean := false;
BEGIN
    FOREACH history IN ARRAY ARRAY['executions', 'attempts', 'execution_logs'] LOOP
        EXECUTE format('SELECT execution_id FROM %I ORDER BY execution_id DESC LIMIT 1', history) INTO last_id;
        IF last_id IS NOT NULL THEN
            is_old := true;
            newest := greatest(newest, to_timestamp(
                ('x' || lpad(left(replace(last_id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000));
        END IF;
    END LOOP;
    IF NOT is_old THEN
        RETURN;
    END IF;
    -- Far enough ahead that the last step comes before it.
    newest := date_trunc('day', newest AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + 8 * interval '24 hours';
    FOREACH history IN ARRAY ARRAY['executions', 'attempts', 'execution_logs'] LOOP
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (execution_id < %L) NOT VALID', history,
            history || '_until', (lpad(to_hex((extract(epoch FROM newest) * 1000)::bigint), 12, '0')
                || repeat('0', 20))::uuid);
    END LOOP;
END
$$;
