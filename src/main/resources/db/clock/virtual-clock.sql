-- The clock of `taskexec dev --virtual-clock`: the functions stand before those of PostgreSQL in the search path of the
-- program, so that every statement goes by them. All may be made again and again.

-- That something is there already is no news.
SET LOCAL client_min_messages = warning;

CREATE SCHEMA IF NOT EXISTS virtual_clock;

-- Whole microseconds, since days of an interval have no fixed length.
CREATE TABLE IF NOT EXISTS virtual_clock.state (
    is_there boolean PRIMARY KEY DEFAULT true CHECK (is_there),
    ahead_us bigint  NOT NULL
);

INSERT INTO virtual_clock.state (ahead_us) VALUES (0) ON CONFLICT DO NOTHING;

-- STABLE, so that an index is searched for it once.
CREATE OR REPLACE FUNCTION virtual_clock.now() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN pg_catalog.now() + (SELECT ahead_us FROM virtual_clock.state WHERE is_there) * interval '1 microsecond';
END
$$;

CREATE OR REPLACE FUNCTION virtual_clock.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN pg_catalog.clock_timestamp()
        + (SELECT ahead_us FROM virtual_clock.state WHERE is_there) * interval '1 microsecond';
END
$$;

-- Moves the clock ahead, never back. Leases go by the clock of the system, so they move with it. The lock waits for all
-- claims that are under way, and keeps others from being made by the time before.
CREATE OR REPLACE FUNCTION virtual_clock.move_to(goal timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    step bigint;
BEGIN
    LOCK TABLE public.exec_live IN SHARE ROW EXCLUSIVE MODE;
    step := ceil(extract(epoch FROM goal - virtual_clock.clock_timestamp()) * 1000000);
    IF step > 0 THEN
        UPDATE public.exec_live SET visible_at = visible_at + step * interval '1 microsecond'
        WHERE lease_token IS NOT NULL AND visible_at > virtual_clock.now();
        UPDATE virtual_clock.state SET ahead_us = ahead_us + step;
    END IF;
    RETURN (SELECT ahead_us FROM virtual_clock.state WHERE is_there);
END
$$;

-- Defaults were bound to PostgreSQL's own function when the columns were made.
DO $$
DECLARE
    bound record;
BEGIN
    FOR bound IN
        SELECT c.oid::regclass AS relation, a.attname AS name
        FROM pg_attrdef d
        JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
        JOIN pg_class c ON c.oid = d.adrelid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
          AND pg_get_expr(d.adbin, d.adrelid) IN ('now()', 'pg_catalog.now()')
          AND c.relname NOT LIKE 'region%'
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT virtual_clock.now()', bound.relation, bound.name);
    END LOOP;
END
$$;

-- The trigger of the audit log has a search path of its own.
ALTER FUNCTION public.keep_audit_log() SET search_path = virtual_clock, pg_catalog, pg_temp;

-- So have the functions for applications.
DO $$
DECLARE
    own record;
BEGIN
    FOR own IN
        SELECT p.oid::regprocedure AS name, pg_get_userbyid(p.proowner) AS owner
        FROM pg_proc p WHERE p.pronamespace = to_regnamespace('taskexec_api')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = public, virtual_clock, pg_catalog, pg_temp', own.name);
        EXECUTE format('GRANT USAGE ON SCHEMA virtual_clock TO %I', own.owner);
        EXECUTE format('GRANT SELECT ON virtual_clock.state TO %I', own.owner);
    END LOOP;
END
$$;
