-- A day is made also where rows of it are in the default partitions already, and where these are large when a
-- constraint says that no row of it is there. A day is not dropped while operations repeat executions that may need
-- it. Otherwise these are the functions of version 34.

-- Makes the partitions of a day that has not begun, since they make statements fail that are just writing rows of it.
-- Rows of the day that are in the default partitions, as of a process whose clock was ahead, move: at most 1,000
-- executions, and ten times as many attempts or logs.
-- It returns whether it made the day: not while another process or a long transaction is in the way, nor where there
-- are more such rows, nor where that takes longer than a statement may. All of the default partitions is read while
-- they are locked, so that together they must be small; smaller yet where rows move, since all ends of executions wait
-- then. One with a valid constraint history_days_ahead, which says that it has no row of the days that are made, is not
-- read, and does not count.
CREATE OR REPLACE FUNCTION history_make_day(day date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '100ms' SET enable_seqscan = off AS $$
DECLARE
    first_id  uuid := history_first_id(day);
    end_id    uuid := history_first_id(day + 1);
    mebibytes bigint;
    misplaced bigint;
    others    bigint;
    history   text;
    partition text;
BEGIN
    SELECT coalesce(sum(pg_relation_size(d.part)), 0) / 1024 / 1024 INTO mebibytes
    FROM unnest(ARRAY['executions_default', 'attempts_default', 'execution_logs_default']::regclass[]) AS d(part)
    WHERE NOT EXISTS (SELECT 1 FROM pg_constraint c
        WHERE c.conrelid = d.part AND c.conname = 'history_days_ahead' AND c.convalidated);
    IF mebibytes >= 512 OR NOT pg_try_advisory_xact_lock('executions'::regclass::bigint) THEN
        RETURN false;
    END IF;
    SELECT count(*) INTO misplaced FROM (SELECT 1 FROM executions_default x
        WHERE x.execution_id >= first_id AND x.execution_id < end_id LIMIT 1001) AS x;
    SELECT count(*) INTO others FROM (
        SELECT 1 FROM attempts_default x WHERE x.execution_id >= first_id AND x.execution_id < end_id
        UNION ALL
        SELECT 1 FROM execution_logs_default x WHERE x.execution_id >= first_id AND x.execution_id < end_id
        LIMIT 10001) AS x;
    IF misplaced > 1000 OR others > 10000 OR (misplaced + others > 0 AND mebibytes >= 32) THEN
        RETURN false;
    END IF;
    IF misplaced + others > 0 THEN
        -- A statement that waits would otherwise look for them where they were.
        LOCK TABLE ONLY executions, ONLY attempts, ONLY execution_logs IN ACCESS EXCLUSIVE MODE;
    END IF;
    FOREACH history IN ARRAY ARRAY['executions', 'attempts', 'execution_logs'] LOOP
        partition := history || to_char(day, '_YYYYMMDD');
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', partition, history);
        IF history = 'executions' THEN
            -- What is still to be kept when the day is over for long is found here, and nothing else is in it.
            EXECUTE format('CREATE INDEX %I ON %I (completed_at) WHERE completed_at >= %L', partition || '_late',
                partition, to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
        END IF;
        IF misplaced + others > 0 THEN
            EXECUTE format('WITH moved AS (DELETE FROM %I WHERE execution_id >= $1 AND execution_id < $2 RETURNING *)'
                || ' INSERT INTO %I SELECT * FROM moved', history || '_default', partition) USING first_id, end_id;
        END IF;
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', history, partition,
            first_id, end_id);
    END LOOP;
    RETURN true;
EXCEPTION
    WHEN lock_not_available OR deadlock_detected OR query_canceled OR duplicate_table OR check_violation
        OR invalid_object_definition THEN
        RETURN false;
END
$$;

-- Drops the partitions '<day>' or 'until_<day>' if all that ended before a time may go. What must stay moves to the
-- partition without a day:
--   what ended later, and attempts and logs of what has not ended;
--   parents of jobs that have not ended, or are being repeated, whose outputs these may read;
--   the jobs of a workflow for as long as its run, and a run for as long as one that repeats it.
-- 'DROPPED' comes with about the number of removed executions; 'BUSY' when a lock was not to be had at once, or the
-- day is not over for so long; 'KEPT' when more must stay than is moved under a lock: more than at_most executions,
-- or ten times as many attempts and logs of others. Other statements wait for the locks: 0.1 s at most until each
-- one is there, and some milliseconds while they last.
CREATE OR REPLACE FUNCTION history_drop_day(part text, ended_before timestamptz, at_most integer, OUT outcome text,
    OUT removed bigint) LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '100ms' SET enable_seqscan = off AS $$
DECLARE
    is_old    boolean := starts_with(part, 'until_');
    day       date := to_date(right(part, 8), 'YYYYMMDD');
    first_id  uuid := CASE WHEN is_old THEN '00000000-0000-0000-0000-000000000000' ELSE history_first_id(day) END;
    end_id    uuid := history_first_id(CASE WHEN is_old THEN day ELSE day + 1 END);
    day_end   text := to_char(CASE WHEN is_old THEN day ELSE day + 1 END, 'YYYY-MM-DD') || ' 00:00:00+00';
    -- Of the rows with ids from then on none was there when the long part of the search began.
    recent    uuid := (lpad(to_hex((extract(epoch FROM clock_timestamp() - interval '10 minutes') * 1000)::bigint),
                  12, '0') || repeat('0', 20))::uuid;
    repeating uuid[];
    repeated  numeric;
    needed    uuid[];
    others    uuid[];
    late      uuid[];
    live      uuid[];
    is_locked boolean;
    history   text;
    rows      bigint;
BEGIN
    removed := 0;
    outcome := 'BUSY';
    IF part !~ '^(until_)?[0-9]{8}$' THEN
        RAISE EXCEPTION 'there is no history of %', part;
    END IF;
    -- What ends between the first look and the lock would not be seen.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'history is dropped by transactions with the isolation level read committed alone';
    END IF;
    IF ended_before < day_end::timestamptz OR to_regclass('executions_' || part) IS NULL
        OR NOT pg_try_advisory_xact_lock('executions'::regclass::bigint) THEN
        RETURN;
    END IF;
    outcome := 'KEPT';
    SELECT array_agg(o.operation_id), sum(o.done) INTO repeating, repeated FROM operations o
    WHERE o.status = 'RUNNING' AND o.action = 'RETRY';
    SELECT coalesce(array_agg(p.parent_id), '{}') INTO needed FROM (
        SELECT DISTINCT e.parent_id FROM job_edges e
        WHERE e.parent_id >= first_id AND e.parent_id < end_id
            AND ((SELECT l.execution_id FROM exec_live l WHERE l.execution_id = e.child_id) IS NOT NULL
                OR (SELECT l.job_id FROM exec_live l WHERE l.job_id = e.child_id AND l.execution_id <> l.job_id
                    LIMIT 1) IS NOT NULL)
        LIMIT at_most + 1) AS p;
    SELECT needed || coalesce(array_agg(r.retry_of), '{}') INTO needed FROM (
        SELECT DISTINCT w.retry_of FROM workflow_runs w
        WHERE w.retry_of >= first_id AND w.retry_of < end_id AND NOT w.ended
        LIMIT at_most + 1) AS r;
    -- A run may be a job of another one.
    FOR depth IN 1..10 LOOP
        EXIT WHEN cardinality(needed) > at_most;
        SELECT coalesce(array_agg(j.job_id), '{}') INTO others FROM (
            SELECT n.job_id FROM workflow_nodes n
            WHERE n.job_id >= first_id AND n.job_id < end_id AND n.job_id <> ALL(needed)
                AND (n.run_id = ANY(needed)
                    OR (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = n.run_id) IS NOT NULL
                    OR (SELECT x.execution_id FROM executions x
                        WHERE x.execution_id = n.run_id AND (x.execution_id < first_id OR x.execution_id >= end_id
                            OR x.completed_at >= ended_before)) IS NOT NULL)
            LIMIT at_most + 1) AS j;
        EXIT WHEN others = '{}';
        needed := needed || others;
    END LOOP;
    IF cardinality(needed) > at_most THEN
        RETURN;
    END IF;

    -- First without the lock, which is not taken for nothing.
    FOREACH is_locked IN ARRAY ARRAY[false, true] LOOP
        IF is_locked THEN
            outcome := 'BUSY';
            LOCK TABLE ONLY executions, ONLY attempts, ONLY execution_logs IN ACCESS EXCLUSIVE MODE;
            outcome := 'KEPT';
            -- Each statement sees what was committed before it: all that read or wrote history has ended. What a run
            -- had that is being repeated since the first look was not looked for, nor what an operation has repeated
            -- since then: its executions have ids of the time at which it began.
            IF EXISTS (SELECT 1 FROM workflow_runs w
                WHERE w.retry_of >= first_id AND w.retry_of < end_id AND NOT w.ended
                    AND w.retry_of <> ALL(needed))
                OR (SELECT sum(o.done) FROM operations o WHERE o.operation_id = ANY(repeating)) <> repeated THEN
                outcome := 'BUSY';
                RETURN;
            END IF;
            SELECT needed || coalesce(array_agg(p.id), '{}') INTO needed FROM (
                SELECT e.parent_id AS id FROM job_edges e
                WHERE e.child_id >= recent AND e.parent_id >= first_id AND e.parent_id < end_id
                UNION
                SELECT e.parent_id FROM exec_live l JOIN job_edges e ON e.child_id = l.job_id
                WHERE l.execution_id >= recent AND l.execution_id <> l.job_id
                    AND e.parent_id >= first_id AND e.parent_id < end_id
                UNION
                SELECT n.job_id FROM workflow_nodes n
                WHERE n.run_id >= recent AND n.job_id >= first_id AND n.job_id < end_id) AS p;
        END IF;
        EXECUTE format('SELECT coalesce(array_agg(x.execution_id), ''{}'') FROM ('
            || CASE WHEN is_old THEN 'SELECT execution_id FROM %I ORDER BY execution_id'
                ELSE 'SELECT execution_id FROM %I WHERE completed_at >= %L AND completed_at >= $2' END
            || ' LIMIT $1 + 1) AS x', 'executions_' || part, day_end) INTO late USING at_most, ended_before;
        SELECT coalesce(array_agg(l.execution_id), '{}') INTO live FROM (
            SELECT execution_id FROM exec_live WHERE execution_id >= first_id AND execution_id < end_id
            LIMIT 10 * at_most + 1) AS l;
        EXECUTE format('SELECT count(*) FROM (SELECT 1 FROM %I WHERE execution_id = ANY($1) UNION ALL'
            || ' SELECT 1 FROM %I WHERE execution_id = ANY($1) LIMIT $2) AS x', 'attempts_' || part,
            'execution_logs_' || part) INTO rows USING live, 10 * at_most + 1;
        IF greatest(cardinality(needed), cardinality(late)) > at_most
            OR greatest(cardinality(live), rows) > 10 * at_most THEN
            RETURN;
        END IF;
    END LOOP;
    needed := needed || late || live;
    FOREACH history IN ARRAY ARRAY['executions', 'attempts', 'execution_logs'] LOOP
        IF history = 'executions' THEN
            SELECT greatest(c.reltuples, 0)::bigint INTO removed FROM pg_class c
            WHERE c.oid = to_regclass('executions_' || part);
        END IF;
        EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', history, history || '_' || part);
        EXECUTE format('INSERT INTO %I SELECT * FROM %I WHERE execution_id = ANY($1)', history, history || '_' || part)
            USING needed;
        GET DIAGNOSTICS rows = ROW_COUNT;
        IF history = 'executions' THEN
            removed := greatest(removed - rows, 0);
        END IF;
        EXECUTE format('DROP TABLE %I', history || '_' || part);
    END LOOP;
    outcome := 'DROPPED';
EXCEPTION
    WHEN lock_not_available OR deadlock_detected THEN
        outcome := 'BUSY';
        removed := 0;
    WHEN query_canceled THEN
        outcome := 'KEPT';
        removed := 0;
END
$$;

DO $$
DECLARE
    definition text;
BEGIN
    FOREACH definition IN ARRAY ARRAY['history_make_day(date)',
        'history_drop_day(text, timestamptz, integer)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', definition, current_schema());
    END LOOP;
END
$$;
