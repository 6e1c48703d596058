-- SQL functions: flow keys take the numbers that the program writes as they are, and no function depends on how the
-- connection of its caller reads strings.

-- The key that a template has with an input (job/FlowKeys), or a refusal.
CREATE OR REPLACE FUNCTION taskexec_flow_key(endpoint text, template text, input json) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    segment   text[];
    step      text[];
    reference text;
    value     json;
    part      text;
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
        IF value IS NULL OR json_typeof(value) NOT IN ('string', 'number', 'boolean') THEN
            PERFORM taskexec_refuse('422', 'TEMPLATE_RESOLUTION_FAILED', format(
                'The flow key ''%s'' of endpoint ''%s'' has no value: ''%s'' is no text, number or boolean.',
                template, endpoint, reference));
        END IF;
        part := value #>> '{}';
        IF json_typeof(value) = 'number' THEN
            -- Java writes an exponent where six zeros and more follow the point, and no sign before a zero.
            IF part ~ '[eE]|^-?0[.]000000[0-9]' THEN
                PERFORM taskexec_refuse('422', 'TEMPLATE_RESOLUTION_FAILED', format(
                    'The flow key ''%s'' of endpoint ''%s'' has no value: ''%s'' is a number with an exponent, or so '
                    'small that it would have one, which SQL cannot write: use POST /jobs.',
                    template, endpoint, reference));
            END IF;
            part := regexp_replace(part, '^-(?=[0.]+$)', '');
        END IF;
        flow_key := flow_key || part;
    END LOOP;
    IF length(flow_key) > 255 THEN
        PERFORM taskexec_refuse('422', 'TEMPLATE_RESOLUTION_FAILED', format(
            'The flow key ''%s'' of endpoint ''%s'' has no value: it is longer than 255 characters.',
            template, endpoint));
    END IF;
    RETURN flow_key;
END
$$;

-- What they call is read in the same way.
DO $$
DECLARE
    own_function record;
BEGIN
    FOR own_function IN
        SELECT p.oid::regprocedure AS signature,
            pg_has_role(p.proowner, 'USAGE') AND has_schema_privilege(p.pronamespace, 'USAGE') AS is_own
        FROM pg_proc p
        WHERE p.pronamespace IN (current_schema()::regnamespace, to_regnamespace('taskexec_api'))
            AND p.prosecdef AND p.proname IN ('create_job', 'cancel_job', 'find_job')
    LOOP
        IF own_function.is_own THEN
            EXECUTE format('ALTER FUNCTION %s SET standard_conforming_strings = on', own_function.signature);
        ELSE
            -- An administrator has installed them, with a role that the owner of the tables is no member of.
            RAISE WARNING 'an administrator should call: ALTER FUNCTION % SET standard_conforming_strings = on',
                own_function.signature;
        END IF;
    END LOOP;
END
$$;
