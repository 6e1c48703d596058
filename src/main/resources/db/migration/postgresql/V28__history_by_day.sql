-- History by time, step 3 of 3: executions that have ended, their attempts and their logs are partitioned by the day (in
-- UTC) of the execution's id, a UUIDv7. What belongs to no day is in the partition ..._default, and what was there before
-- in ..._until_<day>; both are cleaned row by row. Jobs are not partitioned: docs/adr/0016-history-by-day.md.

-- ---------------------------------------------------------------------------------------------------------------------
-- Days are made and dropped by functions: the role of servers may neither create nor drop a table.
-- ---------------------------------------------------------------------------------------------------------------------

-- The lower bound of the ids of a day.
CREATE FUNCTION history_first_id(day date) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT (lpad(to_hex((day - date '1970-01-01')::bigint * 86400000), 12, '0') || repeat('0', 20))::uuid
$$;

-- Makes the partitions of a day that has not begun, since they make statements fail that are just writing rows of it. It
-- returns whether it did: not while another process or a long transaction is in the way, nor where rows of that day are
-- in another partition already. All of the default partition is read while it is locked, so that it must be small.
CREATE FUNCTION history_make_day(day date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '100ms' AS $$
DECLARE
    history   text;
    partition text;
BEGIN
    IF NOT pg_try_advisory_xact_lock('executions'::regclass::bigint)
        OR pg_relation_size('executions_default') > 512 * 1024 * 1024 THEN
        RETURN false;
    END IF;
    FOREACH history IN ARRAY ARRAY['executions', 'attempts', 'execution_logs'] LOOP
        partition := history || to_char(day, '_YYYYMMDD');
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', partition, history);
        IF history = 'executions' THEN
            -- What is still to be kept when the day is over for long is found here, and nothing else is in it.
            EXECUTE format('CREATE INDEX %I ON %I (completed_at) WHERE completed_at >= %L', partition || '_late',
                partition, to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
        END IF;
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', history, partition,
            history_first_id(day), history_first_id(day + 1));
    END LOOP;
    RETURN true;
EXCEPTION
    WHEN lock_not_available OR deadlock_detected OR duplicate_table OR check_violation OR invalid_object_definition THEN
        RETURN false;
END
$$;

-- Drops the partitions '<day>' or 'until_<day>' if all that ended before a time may go. What must stay moves to the
-- partition without a day:
--   what ended later, and attempts and logs of what has not ended;
--   parents of jobs that have not ended, whose outputs these may read;
--   the jobs of a workflow for as long as its run.
-- 'DROPPED' comes with about the number of removed executions; 'BUSY' when a lock was not to be had at once; 'KEPT' when
-- more must stay than is moved under a lock. Other statements wait for the locks: 0.1 s at most until each one is there,
-- and some milliseconds while they last.
CREATE FUNCTION history_drop_day(part text, ended_before timestamptz, at_most integer, OUT outcome text,
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
    IF part !~ '^(until_)?[0-9]{8}$' OR ended_before < day_end::timestamptz THEN
        RAISE EXCEPTION 'history of % cannot be dropped', part;
    END IF;
    IF to_regclass('executions_' || part) IS NULL
        OR NOT pg_try_advisory_xact_lock('executions'::regclass::bigint) THEN
        RETURN;
    END IF;
    outcome := 'KEPT';
    SELECT coalesce(array_agg(p.parent_id), '{}') INTO needed FROM (
        SELECT e.parent_id FROM job_edges e
        WHERE e.parent_id >= first_id AND e.parent_id < end_id
            AND (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = e.child_id) IS NOT NULL
        LIMIT at_most + 1) AS p;
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

    -- First without the lock, which is not taken in vain.
    FOREACH is_locked IN ARRAY ARRAY[false, true] LOOP
        IF is_locked THEN
            outcome := 'BUSY';
            LOCK TABLE ONLY executions, ONLY attempts, ONLY execution_logs IN ACCESS EXCLUSIVE MODE;
            outcome := 'KEPT';
            -- Each statement sees what was committed before it: whoever read or wrote history has ended.
            SELECT needed || coalesce(array_agg(p.id), '{}') INTO needed FROM (
                SELECT e.parent_id AS id FROM job_edges e
                WHERE e.child_id >= recent AND e.parent_id >= first_id AND e.parent_id < end_id
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
        IF greatest(cardinality(needed), cardinality(late), cardinality(live) / 10) > at_most THEN
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

-- ---------------------------------------------------------------------------------------------------------------------
-- The tables
-- ---------------------------------------------------------------------------------------------------------------------

DO $$
DECLARE
    history     text;
    old         text;
    bound       uuid;
    part_bound  text;
    definitions text[];
    definition  text;
    index_name  text;
    grantee     record;
    today       date := (now() AT TIME ZONE 'UTC')::date;
BEGIN
    LOCK TABLE executions, attempts, execution_logs IN ACCESS EXCLUSIVE MODE;
    FOREACH history IN ARRAY ARRAY['executions', 'attempts', 'execution_logs'] LOOP
        SELECT substring(pg_get_constraintdef(c.oid) FROM '''([-0-9a-f]{36})''')::uuid INTO bound FROM pg_constraint c
        WHERE c.conrelid = history::regclass AND c.conname = history || '_until';
        IF bound IS NULL THEN
            old := history || '_default';
            part_bound := 'DEFAULT';
        ELSE
            old := history || to_char(to_timestamp(
                ('x' || lpad(left(replace(bound::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000)
                AT TIME ZONE 'UTC', '_"until"_YYYYMMDD');
            part_bound := format('FOR VALUES FROM (MINVALUE) TO (%L)', bound);
        END IF;
        -- The same constraints and indexes, under the same names.
        SELECT array_agg(d.definition) INTO definitions FROM (
            SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', history, c.conname, pg_get_constraintdef(c.oid))
            FROM pg_constraint c
            WHERE c.conrelid = history::regclass AND c.contype IN ('c', 'p') AND c.conname <> history || '_until'
            UNION ALL
            SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
            WHERE i.indrelid = history::regclass AND NOT i.indisprimary) AS d(definition);
        EXECUTE format('ALTER TABLE %I RENAME TO %I', history, old);
        FOR index_name IN
            SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = old::regclass
        LOOP
            EXECUTE format('ALTER INDEX %I RENAME TO %I', index_name, replace(index_name, history, old));
        END LOOP;
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (execution_id)',
            history, old);
        FOREACH definition IN ARRAY definitions LOOP
            EXECUTE definition;
        END LOOP;
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I %s', history, old, part_bound);
        IF bound IS NOT NULL THEN
            EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', old, history || '_until');
            EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', history || '_default', history);
        END IF;
        FOR grantee IN
            SELECT a.grantee::regrole::text AS name, a.privilege_type AS privilege
            FROM pg_class c, aclexplode(c.relacl) AS a
            WHERE c.oid = old::regclass AND a.grantee NOT IN (0, c.relowner)
        LOOP
            EXECUTE format('GRANT %s ON %I TO %s', grantee.privilege, history, grantee.name);
        END LOOP;
    END LOOP;

    FOREACH definition IN ARRAY ARRAY['history_make_day(date)',
        'history_drop_day(text, timestamptz, integer)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', definition, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', definition);
        FOR grantee IN
            SELECT a.grantee::regrole::text AS name FROM pg_class c, aclexplode(c.relacl) AS a
            WHERE c.oid = 'executions'::regclass AND a.privilege_type = 'DELETE' AND a.grantee NOT IN (0, c.relowner)
        LOOP
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', definition, grantee.name);
        END LOOP;
    END LOOP;

    FOR ahead IN 0..7 LOOP
        PERFORM history_make_day(today + ahead);
    END LOOP;
END
$$;
