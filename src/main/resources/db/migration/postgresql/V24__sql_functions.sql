-- Functions with which applications create, find and cancel jobs in their own transactions: docs/sql-functions.md. What
-- begins with taskexec_ is not for applications.

CREATE FUNCTION taskexec_refuse(status text, code text, reason text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'TX' || status, MESSAGE = reason, DETAIL = code;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The fingerprint of a request, byte for byte as the program makes it (model/Fingerprint, model/CanonicalJson)
-- ---------------------------------------------------------------------------------------------------------------------

-- Seven bits in each byte, the lowest first.
CREATE FUNCTION taskexec_count(number bigint) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    rest  bigint := number;
    bytes bytea := '';
BEGIN
    WHILE rest > 127 LOOP
        bytes := bytes || set_byte('\x00', 0, ((rest & 127) | 128)::integer);
        rest := rest >> 7;
    END LOOP;
    RETURN bytes || set_byte('\x00', 0, rest::integer);
END
$$;

CREATE FUNCTION taskexec_signed(number bigint) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT taskexec_count(CASE WHEN number < 0 THEN -2 * number - 1 ELSE 2 * number END)
$$;

-- Characters as Java counts them: those beyond U+FFFF are two.
CREATE FUNCTION taskexec_length(value text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT CASE WHEN octet_length(value) = length(value) THEN length(value)
        ELSE length(value) + length(regexp_replace(value, '[^\U00010000-\U0010FFFF]', '', 'g')) END
$$;

CREATE FUNCTION taskexec_canonical(value text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT '\x22'::bytea || taskexec_count(taskexec_length(value)) || convert_to(value, 'UTF8')
$$;

-- Names are in the order that they have in Java, where characters beyond U+FFFF come before those from U+E000 on.
CREATE FUNCTION taskexec_canonical(value json, depth integer) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    kind     text := json_typeof(value);
    content  bytea;
    count    bigint;
    names    bigint;
    longest  bigint;
    parts    text[];
    digits   text;
    figures  text;
    exponent bigint;
BEGIN
    IF kind IN ('object', 'array') AND depth = 0 THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', '''input'' nests too deeply');
    END IF;
    CASE kind
    WHEN 'object' THEN
        SELECT count(*), count(DISTINCT m.key COLLATE "C"), max(length(m.key)),
            string_agg(taskexec_canonical(m.key) || taskexec_canonical(m.value, depth - 1), ''::bytea ORDER BY
                CASE WHEN octet_length(m.key) = length(m.key) THEN m.key
                    ELSE regexp_replace(m.key, '([\uE000-\uFFFF])', U&'\+10FFFF' || '\1', 'g') END COLLATE "C")
        INTO count, names, longest, content
        FROM json_each(value) AS m;
        IF names < count OR longest > 50000 THEN
            PERFORM taskexec_refuse('400', 'INVALID_REQUEST',
                '''input'' repeats a name within an object, or has one of more than 50000 characters');
        END IF;
        RETURN '\x7b'::bytea || taskexec_count(count) || coalesce(content, '');
    WHEN 'array' THEN
        SELECT count(*), string_agg(taskexec_canonical(e.value, depth - 1), ''::bytea ORDER BY e.place)
        INTO count, content
        FROM json_array_elements(value) WITH ORDINALITY AS e(value, place);
        RETURN '\x5b'::bytea || taskexec_count(count) || coalesce(content, '');
    WHEN 'string' THEN
        RETURN taskexec_canonical(value #>> '{}');
    WHEN 'number' THEN
        parts := regexp_match(value::text, '^\s*(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]{1,9}))?\s*$');
        IF parts IS NULL OR length(value::text) > 1000 THEN
            PERFORM taskexec_refuse('400', 'INVALID_REQUEST',
                '''input'' has a number of more than 1000 characters, or with an exponent of more than 9 digits');
        END IF;
        digits := ltrim(parts[2] || coalesce(parts[3], ''), '0');
        figures := rtrim(digits, '0');
        exponent := coalesce(parts[4]::bigint, 0) - length(coalesce(parts[3], ''))
            + length(digits) - length(figures);
        IF figures = '' THEN
            RETURN '\x230000'::bytea;
        ELSIF length(figures) <= 18 THEN
            RETURN '\x23'::bytea || taskexec_signed((parts[1] || figures)::bigint) || taskexec_signed(exponent);
        END IF;
        RETURN CASE parts[1] WHEN '-' THEN '\x2d'::bytea ELSE '\x2b'::bytea END
            || taskexec_canonical(figures) || taskexec_signed(exponent);
    WHEN 'boolean' THEN
        RETURN CASE WHEN (value #>> '{}')::boolean THEN '\x74'::bytea ELSE '\x66'::bytea END;
    ELSE
        RETURN '\x6e'::bytea;
    END CASE;
END
$$;

CREATE FUNCTION taskexec_fingerprint(VARIADIC parts bytea[]) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT encode(substr(sha256(string_agg(
        int4send(coalesce(length(p.part), -1)) || coalesce(p.part, ''), ''::bytea ORDER BY p.place)), 1, 16), 'hex')::uuid
    FROM unnest(parts) WITH ORDINALITY AS p(part, place)
$$;

CREATE FUNCTION taskexec_part(value text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT convert_to(value, 'UTF8')
$$;

CREATE FUNCTION taskexec_part(value timestamptz) RETURNS bytea LANGUAGE sql STABLE STRICT AS $$
    SELECT taskexec_part(regexp_replace(
        to_char(value AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '(000|\.000000)$', '') || 'Z')
$$;

-- Days have 24 hours; months were refused.
CREATE FUNCTION taskexec_part(value interval) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    micros  bigint := extract(epoch FROM value) * 1000000;
    hours   bigint := micros / 3600000000;
    minutes bigint := micros / 60000000 % 60;
    seconds numeric := trim_scale((micros % 60000000)::numeric / 1000000);
BEGIN
    RETURN taskexec_part(CASE WHEN micros = 0 THEN 'PT0S' ELSE 'PT'
        || CASE WHEN hours > 0 THEN hours || 'H' ELSE '' END
        || CASE WHEN minutes > 0 THEN minutes || 'M' ELSE '' END
        || CASE WHEN seconds > 0 THEN seconds || 'S' ELSE '' END END);
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Parts of a new job
-- ---------------------------------------------------------------------------------------------------------------------

-- UUIDv7 of this moment, with the fraction of the millisecond (model/Uuid7).
CREATE FUNCTION taskexec_new_id(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE STRICT AS $$
    SELECT (lpad(to_hex(micros / 1000), 12, '0') || '7' || lpad(to_hex(micros % 1000 * 4096 / 1000), 3, '0')
        || substr(replace(gen_random_uuid()::text, '-', ''), 17))::uuid
    FROM (SELECT (extract(epoch FROM at) * 1000000)::bigint AS micros) AS now
$$;

CREATE FUNCTION taskexec_job_id(shown text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT CASE WHEN shown ~ '^job_[0-9a-fA-F]{32}$' THEN substr(shown, 5)::uuid END
$$;

CREATE FUNCTION taskexec_shown_id(job_id uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT 'job_' || replace(job_id::text, '-', '')
$$;

-- The key that a template has with an input (job/FlowKeys), or a refusal.
CREATE FUNCTION taskexec_flow_key(endpoint text, template text, input json) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    segment   text[];
    step      text[];
    reference text;
    value     json;
    flow_key  text := '';
BEGIN
    FOR segment IN SELECT regexp_matches(template,
        '(\\\{\{)|\{\{\s*input((?:\.[A-Za-z0-9_-]+|\[[0-9]{1,9}\])+)\s*\}\}|(.)', 'g')
    LOOP
        IF segment[1] IS NOT NULL THEN
            flow_key := flow_key || '{{';
            CONTINUE;
        ELSIF segment[3] IS NOT NULL THEN
            flow_key := flow_key || segment[3];
            CONTINUE;
        END IF;
        reference := 'input' || segment[2];
        value := input;
        FOR step IN SELECT regexp_matches(segment[2], '\.([A-Za-z0-9_-]+)|\[([0-9]+)\]', 'g') LOOP
            value := CASE
                WHEN step[1] IS NOT NULL AND json_typeof(value) = 'object' THEN value -> step[1]
                WHEN step[2] IS NOT NULL AND json_typeof(value) = 'array' THEN value -> step[2]::integer END;
        END LOOP;
        -- Of a number the text is taken where both sides would write it alike.
        IF value IS NULL OR json_typeof(value) NOT IN ('string', 'number', 'boolean')
            OR (json_typeof(value) = 'number'
                AND value::text !~ '^(0|-?[1-9][0-9]*|-?[1-9][0-9]*\.[0-9]+|0\.[0-9]{0,5}[1-9][0-9]*)$') THEN
            PERFORM taskexec_refuse('422', 'TEMPLATE_RESOLUTION_FAILED', format(
                'The flow key ''%s'' of endpoint ''%s'' has no value: ''%s'' is no text, number or boolean.',
                template, endpoint, reference));
        END IF;
        flow_key := flow_key || (value #>> '{}');
    END LOOP;
    IF length(flow_key) > 255 THEN
        PERFORM taskexec_refuse('422', 'TEMPLATE_RESOLUTION_FAILED', format(
            'The flow key ''%s'' of endpoint ''%s'' has no value: it is longer than 255 characters.',
            template, endpoint));
    END IF;
    RETURN flow_key;
END
$$;

-- Whether a key has expired (store/job/IdempotencyKeyStore).
CREATE FUNCTION taskexec_key_has_expired(holder uuid, created_at timestamptz, lifetime_ms bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT created_at <= now() - lifetime_ms * interval '1 millisecond'
        AND NOT EXISTS (SELECT 1 FROM exec_live l WHERE l.execution_id = holder)
        AND NOT EXISTS (
            SELECT 1 FROM schedules s JOIN schedules v ON v.root_id = s.root_id JOIN jobs j ON j.job_id = v.job_id
            WHERE s.job_id = holder AND j.retired_at IS NULL)
$$;

CREATE FUNCTION taskexec_check_time(field text, value interval, most interval) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF extract(year FROM value) <> 0 OR extract(month FROM value) <> 0
        OR value < interval '0' OR value > most
    THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', format(
            '''%s'' must not be negative, nor have months, and be at most %s', field, most));
    END IF;
END
$$;

CREATE FUNCTION taskexec_check_after(field text, value timestamptz, run_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF value <= run_at THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST',
            format('''%s'' must be after the time at which the job runs', field));
    END IF;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The functions for applications
-- ---------------------------------------------------------------------------------------------------------------------

-- It locks its new rows, the key's entry among them, and FOR KEY SHARE the endpoint and the queue that it names: only
-- who wants the same key, or wants to delete one of these, waits for the transaction. Limits of flow keys are left to
-- the claim, which parks what has no room.
CREATE FUNCTION create_job(
    endpoint        text,
    idempotency_key text,
    input           json DEFAULT NULL,
    run_at          timestamptz DEFAULT NULL,
    delay           interval DEFAULT NULL,
    queue           text DEFAULT NULL,
    priority        integer DEFAULT 4,
    tags            text[] DEFAULT NULL,
    ttl             interval DEFAULT NULL,
    expires_at      timestamptz DEFAULT NULL,
    deadline        timestamptz DEFAULT NULL,
    region          text DEFAULT NULL,
    notify          boolean DEFAULT true
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '200ms' SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    begun       timestamptz := clock_timestamp();
    new_input   json := CASE WHEN json_typeof(create_job.input) <> 'null' THEN create_job.input END;
    new_id      uuid := taskexec_new_id(begun);
    due         timestamptz := coalesce(create_job.run_at,
        begun + floor(extract(epoch FROM create_job.delay) * 1000) * interval '1 millisecond', begun);
    new_tags    text[];
    fingerprint uuid;
    home        record;
    target      record;
    place       record;
    holder      record;
    new_lane    integer;
    new_flow_id bigint;
    new_key     text;
    new_ttl_ms  bigint;
    tries       integer := 0;
BEGIN
    IF create_job.endpoint IS NULL OR create_job.endpoint !~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', '''endpoint'' must be the name of an endpoint');
    END IF;
    IF coalesce(create_job.idempotency_key, '') = '' OR taskexec_length(create_job.idempotency_key) > 255 THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST',
            '''idempotency_key'' must be a string of 1 to 255 characters');
    END IF;
    IF octet_length(new_input::text) > 4194304 THEN
        PERFORM taskexec_refuse('413', 'PAYLOAD_TOO_LARGE', '''input'' must have at most 4 MiB');
    END IF;
    IF create_job.run_at IS NOT NULL AND create_job.delay IS NOT NULL THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', '''run_at'' and ''delay'' cannot be set together');
    END IF;
    PERFORM taskexec_check_time('delay', create_job.delay, interval '36525 days');
    IF create_job.run_at > begun + interval '36525 days' OR create_job.run_at < begun - interval '36525 days' THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', '''run_at'' must be within 100 years from now');
    END IF;
    IF coalesce(create_job.priority, 4) NOT BETWEEN 0 AND 7 THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', '''priority'' must be a whole number from 0 to 7');
    END IF;
    IF array_ndims(create_job.tags) > 1 OR cardinality(create_job.tags) > 10
        OR EXISTS (SELECT 1 FROM unnest(create_job.tags) AS t(tag)
            WHERE t.tag IS NULL OR t.tag !~ '^[A-Za-z0-9._:=/@-]{1,63}$')
    THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST',
            '''tags'' must be at most 10 strings of 1 to 63 letters, digits and any of . _ : = / @ -');
    END IF;
    PERFORM taskexec_check_time('ttl', create_job.ttl, interval '3660 days');
    IF create_job.ttl = interval '0' OR extract(microseconds FROM create_job.ttl)::bigint % 1000 <> 0 THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', '''ttl'' must be positive and in whole milliseconds');
    END IF;
    IF create_job.ttl IS NOT NULL AND create_job.expires_at IS NOT NULL THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', '''expires_at'' cannot be set together with ''ttl''');
    END IF;
    IF NOT (isfinite(coalesce(create_job.expires_at, begun)) AND isfinite(coalesce(create_job.deadline, begun))) THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', '''expires_at'' and ''deadline'' must be points in time');
    END IF;
    IF create_job.run_at IS NOT NULL THEN
        PERFORM taskexec_check_after('expires_at', create_job.expires_at, due);
        PERFORM taskexec_check_after('deadline', create_job.deadline, due);
    END IF;

    SELECT r.number, r.region, r.events, r.idempotency_key_ttl_ms, count(*) OVER () AS count
    INTO home
    FROM region_status r
    WHERE r.idempotency_key_ttl_ms IS NOT NULL AND (create_job.region IS NULL OR r.region = create_job.region)
    LIMIT 1;
    IF home.count IS NULL THEN
        PERFORM taskexec_refuse('503', 'UNAVAILABLE', 'No taskexec has run yet'
            || coalesce(format(' in the region ''%s''.', create_job.region), '.'));
    ELSIF home.count > 1 THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', '''region'' is required, since there are several');
    END IF;

    -- The lock keeps the endpoint from being deleted; a new version does not wait for it.
    SELECT e.name, e.version, e.payload_spec_ref INTO target
    FROM endpoints e WHERE e.name = create_job.endpoint FOR KEY SHARE;
    IF NOT FOUND THEN
        PERFORM taskexec_refuse('404', 'ENDPOINT_NOT_FOUND',
            format('The endpoint ''%s'' does not exist.', create_job.endpoint));
    END IF;
    IF target.payload_spec_ref IS NOT NULL THEN
        PERFORM taskexec_refuse('501', 'NOT_SUPPORTED', format(
            'The endpoint ''%s'' has a payload spec, which SQL cannot check: use POST /jobs.', create_job.endpoint));
    END IF;
    SELECT v.endpoint_type, v.queue_id, v.flow ->> 'key' AS flow_template, v.flow IS NOT NULL AS has_flow,
        coalesce(p.fifo, false) AS is_fifo
    INTO place
    FROM endpoint_versions v LEFT JOIN flow_policies p ON p.endpoint = v.name
    WHERE v.name = target.name AND v.version = target.version;
    IF place.endpoint_type = 'WORKFLOW' THEN
        PERFORM taskexec_refuse('501', 'NOT_SUPPORTED', format(
            'The endpoint ''%s'' is a workflow, which SQL cannot start: use POST /workflows.', create_job.endpoint));
    END IF;
    IF create_job.queue IS NOT NULL THEN
        IF place.endpoint_type = 'WORKER' THEN
            PERFORM taskexec_refuse('400', 'INVALID_REQUEST',
                '''queue'' must be left out: the executions of a WORKER endpoint have a queue of their own');
        END IF;
        place.queue_id := (SELECT q.queue_id FROM queues q
            WHERE q.name = create_job.queue AND q.deleted_at IS NULL AND NOT q.pulled);
    END IF;
    -- That of 'default' is locked by who makes another queue, and is never deleted.
    IF place.queue_id IS DISTINCT FROM 0 THEN
        PERFORM 1 FROM queues q WHERE q.queue_id = place.queue_id AND q.deleted_at IS NULL FOR KEY SHARE;
        IF NOT FOUND THEN
            PERFORM taskexec_refuse('422', 'INVALID_QUEUE_REF', format(
                'The queue %s does not exist.', coalesce(quote_literal(create_job.queue), 'of the endpoint')));
        END IF;
    END IF;

    -- In the order of job/JobRequest: what a request does not have leaves the fingerprint as it is.
    fingerprint := taskexec_fingerprint(
        taskexec_part(create_job.endpoint),
        taskexec_part(CASE WHEN coalesce(create_job.run_at::text, create_job.delay::text) IS NULL
            THEN 'IMMEDIATE' ELSE 'DELAYED' END),
        taskexec_part(create_job.run_at),
        taskexec_part(create_job.delay),
        taskexec_part(coalesce(create_job.priority, 4)::text),
        taskexec_canonical(new_input, 63));
    SELECT array_agg(DISTINCT t.tag COLLATE "C") INTO new_tags FROM unnest(create_job.tags) AS t(tag);
    IF new_tags IS NOT NULL THEN
        fingerprint := taskexec_fingerprint(
            taskexec_part(fingerprint::text), taskexec_part('[' || array_to_string(new_tags, ', ') || ']'));
    END IF;
    IF create_job.queue IS NOT NULL THEN
        fingerprint := taskexec_fingerprint(taskexec_part(fingerprint::text), taskexec_part(create_job.queue));
    END IF;
    IF create_job.ttl IS NOT NULL OR create_job.expires_at IS NOT NULL OR create_job.deadline IS NOT NULL THEN
        fingerprint := taskexec_fingerprint(taskexec_part(fingerprint::text), taskexec_part(create_job.ttl),
            taskexec_part(create_job.expires_at), taskexec_part(create_job.deadline));
    END IF;

    LOOP
        INSERT INTO idempotency_keys (endpoint, idempotency_key, job_id, fingerprint, created_at)
        VALUES (create_job.endpoint, create_job.idempotency_key, new_id, fingerprint, begun)
        ON CONFLICT (endpoint, idempotency_key) DO NOTHING;
        EXIT WHEN FOUND;
        SELECT k.job_id, k.fingerprint,
            taskexec_key_has_expired(k.job_id, k.created_at, home.idempotency_key_ttl_ms) AS has_expired
        INTO holder
        FROM idempotency_keys k
        WHERE k.endpoint = create_job.endpoint AND k.idempotency_key = create_job.idempotency_key;
        IF FOUND AND NOT holder.has_expired THEN
            IF holder.fingerprint <> fingerprint THEN
                PERFORM taskexec_refuse('422', 'IDEMPOTENCY_KEY_REUSED', format(
                    'The idempotency key ''%s'' belongs to another request.', create_job.idempotency_key));
            END IF;
            RETURN taskexec_shown_id(holder.job_id);
        END IF;
        tries := tries + 1;
        IF tries > 10 THEN
            PERFORM taskexec_refuse('409', 'CONFLICT', 'The idempotency key keeps changing; try again.');
        END IF;
        DELETE FROM idempotency_keys k
        WHERE k.endpoint = create_job.endpoint AND k.idempotency_key = create_job.idempotency_key
            AND k.job_id = holder.job_id;
    END LOOP;
    -- Only now: it may have been the repetition of a request that was in time.
    PERFORM taskexec_check_after('expires_at', create_job.expires_at, due);
    PERFORM taskexec_check_after('deadline', create_job.deadline, due);

    new_ttl_ms := CASE
        WHEN create_job.ttl IS NOT NULL THEN (extract(epoch FROM create_job.ttl) * 1000)::bigint
        WHEN create_job.expires_at IS NULL THEN (SELECT q.ttl_ms FROM queues q WHERE q.queue_id = place.queue_id) END;
    -- queue, region and priority as one number (store/sql/Lanes)
    new_lane := place.queue_id * 128 + home.number * 8 + coalesce(create_job.priority, 4);
    IF place.has_flow THEN
        new_key := taskexec_flow_key(create_job.endpoint, coalesce(place.flow_template, ''), new_input);
        new_flow_id := ('x' || substr(replace(taskexec_fingerprint(
            taskexec_part(create_job.endpoint), taskexec_part(new_key))::text, '-', ''), 1, 16))::bit(64)::bigint
            & 9223372036854775807;
        new_lane := new_lane - 1073741824;
    END IF;
    INSERT INTO jobs (job_id, region, endpoint, endpoint_version, trigger_type, lane, idempotency_key, input,
        created_at, tags, flow_id, flow_key, ttl_ms, expires_at, deadline)
    VALUES (new_id, home.region, create_job.endpoint, target.version,
        CASE WHEN coalesce(create_job.run_at::text, create_job.delay::text) IS NULL
            THEN 'IMMEDIATE' ELSE 'DELAYED' END,
        new_lane, create_job.idempotency_key, new_input, begun, new_tags, new_flow_id, new_key, new_ttl_ms,
        create_job.expires_at, create_job.deadline);
    INSERT INTO job_tags (tag, job_id) SELECT t.tag, new_id FROM unnest(new_tags) AS t(tag);
    INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at, flow_id, flow_line,
        flow_state, expires_at, deadline)
    VALUES (new_id, new_id, home.region, new_lane, greatest(due, begun), due, begun, new_flow_id,
        CASE WHEN new_flow_id IS NULL THEN NULL WHEN place.is_fifo THEN 0 ELSE coalesce(create_job.priority, 4) END,
        0, least(coalesce(create_job.expires_at, due + new_ttl_ms * interval '1 millisecond'), create_job.deadline),
        create_job.deadline);
    IF home.events THEN
        INSERT INTO event_outbox (execution_id, job_id, kind, attempt, next_run_at, at)
        VALUES (new_id, new_id, 'CREATED', 0, greatest(due, begun), begun);
    END IF;
    -- What is due later is found by polling (store/wakeup/DueSignal).
    IF coalesce(create_job.notify, true) AND due < begun + interval '5 seconds' THEN
        NOTIFY taskexec_due;
    END IF;
    RETURN taskexec_shown_id(new_id);
END
$$;

-- Not a row of a job that others count, nor one that holds a place of its flow key: their ends change more rows.
CREATE FUNCTION taskexec_cancel(wanted uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    removed exec_live%ROWTYPE;
BEGIN
    DELETE FROM exec_live l
    WHERE l.execution_id = wanted AND l.job_id = wanted AND l.attempt = 0 AND l.lease_token IS NULL
        AND NOT l.deferred AND l.flow_state < 2 AND l.trigger_rule IS NULL AND l.parents_open IS NULL
        AND NOT l.has_children
        AND NOT EXISTS (
            SELECT 1 FROM jobs j JOIN endpoint_versions v ON v.name = j.endpoint AND v.version = j.endpoint_version
            WHERE j.job_id = wanted AND v.endpoint_type = 'WORKFLOW')
    RETURNING l.* INTO removed;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
    VALUES (wanted, gen_random_uuid(), removed.region, 0, 'INFO', 'cancelled', clock_timestamp());
    INSERT INTO executions (execution_id, job_id, region, lane, status, attempt_count, config_version,
        endpoint_version, run_at, completed_at, created_at)
    VALUES (wanted, wanted, removed.region, removed.lane, 'CANCELLED', 0, removed.config_version,
        removed.endpoint_version, removed.run_at, clock_timestamp(), removed.created_at);
    IF EXISTS (SELECT 1 FROM region_status r WHERE r.region = removed.region AND r.events) THEN
        INSERT INTO event_outbox (execution_id, job_id, kind, attempt, at)
        VALUES (wanted, wanted, 'CANCELLED', 0, clock_timestamp());
    END IF;
    IF removed.flow_id IS NOT NULL THEN
        INSERT INTO flow_requests (flow_id) VALUES (removed.flow_id);
    END IF;
    RETURN true;
END
$$;

CREATE FUNCTION cancel_job(job_id text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '200ms' SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    IF taskexec_job_id(job_id) IS NULL THEN
        PERFORM taskexec_refuse('400', 'INVALID_REQUEST', '''job_id'' must be the id of a job');
    END IF;
    RETURN taskexec_cancel(taskexec_job_id(job_id));
END
$$;

-- Frees the key too, or does neither.
CREATE FUNCTION cancel_job(endpoint text, idempotency_key text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '200ms' SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    holder uuid;
BEGIN
    -- Before the execution, as all lock keys before executions.
    SELECT k.job_id INTO holder FROM idempotency_keys k
    WHERE k.endpoint = cancel_job.endpoint AND k.idempotency_key = cancel_job.idempotency_key
    FOR UPDATE;
    IF NOT FOUND OR NOT taskexec_cancel(holder) THEN
        RETURN false;
    END IF;
    DELETE FROM idempotency_keys k
    WHERE k.endpoint = cancel_job.endpoint AND k.idempotency_key = cancel_job.idempotency_key;
    RETURN true;
END
$$;

CREATE FUNCTION find_job(endpoint text, idempotency_key text)
RETURNS TABLE (job_id text, status text, run_at timestamptz, created_at timestamptz, completed_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
    SELECT taskexec_shown_id(j.job_id),
        coalesce(x.status,
            CASE WHEN l.deferred THEN 'DEFERRED'
                WHEN l.lease_token IS NOT NULL AND l.visible_at > now() THEN 'RUNNING'
                WHEN l.trigger_rule = 8 THEN 'RUNNING'
                WHEN l.attempt > 0 THEN 'RETRYING'
                WHEN l.trigger_rule IS NOT NULL THEN 'WAITING'
                WHEN l.visible_at > now() AND l.flow_state <> 1 THEN 'PENDING'
                ELSE 'QUEUED' END),
        coalesce(x.run_at, l.run_at), j.created_at, x.completed_at
    FROM idempotency_keys k
    JOIN jobs j ON j.job_id = k.job_id
    LEFT JOIN exec_live l ON l.execution_id = k.job_id
    LEFT JOIN executions x ON x.execution_id = k.job_id
    WHERE k.endpoint = find_job.endpoint AND k.idempotency_key = find_job.idempotency_key
        AND (l.execution_id IS NOT NULL OR x.execution_id IS NOT NULL)
        AND NOT taskexec_key_has_expired(k.job_id, k.created_at, (
            SELECT min(r.idempotency_key_ttl_ms) FROM region_status r WHERE r.region = j.region))
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Their schema and their role, as far as whoever calls this may make them
-- ---------------------------------------------------------------------------------------------------------------------

-- An administrator may call it later again, to make up for what the role that migrates may not do.
CREATE FUNCTION taskexec_install_functions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tables       text := current_schema();
    is_admin     boolean := (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
    own_function regprocedure;
BEGIN
    IF to_regnamespace('taskexec_api') IS NULL
        AND has_database_privilege(current_database(), 'CREATE') THEN
        CREATE SCHEMA taskexec_api;
    END IF;
    IF to_regnamespace('taskexec_api') IS NULL OR NOT has_schema_privilege('taskexec_api', 'CREATE') THEN
        RAISE WARNING 'the functions for applications are not usable before an administrator has called %',
            format('%I.taskexec_install_functions()', tables);
        RETURN;
    END IF;

    IF to_regrole('taskexec_api') IS NULL
        AND (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
        BEGIN
            CREATE ROLE taskexec_api NOLOGIN;
            IF NOT is_admin THEN
                EXECUTE format('GRANT taskexec_api TO %I', current_user);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- of another database, at the same time
        END;
    END IF;

    FOR own_function IN
        SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace IN (tables::regnamespace, 'taskexec_api'::regnamespace)
            AND p.prosecdef AND p.proname IN ('create_job', 'cancel_job', 'find_job')
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', own_function);
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', own_function, tables);
        EXECUTE format('ALTER FUNCTION %s SET SCHEMA taskexec_api', own_function);
    END LOOP;

    IF to_regrole('taskexec_api') IS NOT NULL THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO taskexec_api', tables);
    END IF;
    IF to_regrole('taskexec_api') IS NULL OR NOT (is_admin OR pg_has_role('taskexec_api', 'MEMBER'))
        OR NOT has_schema_privilege('taskexec_api', tables, 'USAGE') THEN
        RAISE NOTICE 'the functions for applications run with the rights of the owner of the tables';
        RETURN;
    END IF;
    GRANT USAGE, CREATE ON SCHEMA taskexec_api TO taskexec_api;
    GRANT SELECT ON endpoints, endpoint_versions, queues, flow_policies, region_status, schedules, idempotency_keys,
        jobs, exec_live, executions TO taskexec_api;
    GRANT INSERT ON idempotency_keys, jobs, job_tags, exec_live, executions, execution_logs, event_outbox,
        flow_requests TO taskexec_api;
    GRANT DELETE ON idempotency_keys, exec_live TO taskexec_api;
    -- Which locks of rows need: nothing is changed.
    GRANT UPDATE (created_at) ON endpoints, queues, idempotency_keys TO taskexec_api;
    FOR own_function IN
        SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = tables::regnamespace AND starts_with(p.proname, 'taskexec_')
            AND p.proname <> 'taskexec_install_functions'
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO taskexec_api', own_function);
    END LOOP;
    FOR own_function IN
        SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'taskexec_api'::regnamespace
    LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO taskexec_api', own_function);
    END LOOP;
    REVOKE CREATE ON SCHEMA taskexec_api FROM taskexec_api;
END
$$;

DO $$
DECLARE
    own_function regprocedure;
BEGIN
    FOR own_function IN
        SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace
            AND (starts_with(p.proname, 'taskexec_') OR p.proname IN ('create_job', 'cancel_job', 'find_job'))
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', own_function);
    END LOOP;
    EXECUTE format('ALTER FUNCTION taskexec_install_functions() SET search_path = %I, pg_temp', current_schema());
    PERFORM taskexec_install_functions();
END
$$;
