package io.taskexec.transfer;

import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.testing.TestDb;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/** Puts rows into every table that is exported, with something in every column, and with texts that need care. */
final class FullDatabase {
    static final KeyRing KEY = KeyRing.parse(KeyRing.generate());
    static final String SECRET = "hunter2 is \"no\" good\\secret ✓";

    /** What a JSON library would change: the order of names, zeroes, exponents, white space. */
    private static final String JSON = """
            {"z": 1.50, "a": [1e2, null, "line\\nbreak \\\\ \\" ✓"],
             "deep": {"b": {}}}""";

    private static final String TEXT = "it''s \"a\" \\ text,\n{with} ✓ everything";

    private FullDatabase() {}

    static void fill(TestDb db) {
        var sql = STATEMENTS.replace("@json", "'" + JSON + "'").replace("@text", "'" + TEXT + "'");
        for (var statement : sql.split(";\n", -1)) {
            db.execute(statement);
        }
        for (var name : new String[] {"token", "other"}) {
            db.execute(
                    "INSERT INTO secrets VALUES ($1, 3, $2, now() - interval '1 day', now())",
                    name,
                    Buffer.buffer(new SecretCipher(KEY).encrypt(name, SECRET + name)));
        }
        db.execute("INSERT INTO endpoint_secrets VALUES ('a', 'token'), ('b', 'other')");
        db.execute(
                "INSERT INTO api_keys VALUES ('key_1', 'ci', $1, 'jobs:write', now(), now(), now(), now())",
                Buffer.buffer("fingerprint".getBytes(StandardCharsets.UTF_8)));
    }

    /** {@code 0a...} is a one-shot job that waits, {@code 0b...} one that has ended, {@code 0c...} a schedule. */
    private static final String STATEMENTS = """
            INSERT INTO queues VALUES (1, 'slow', now());
            INSERT INTO payload_specs VALUES ('spec', 2, @json, now(), now());
            INSERT INTO configs VALUES ('conf', 2, now(), now());
            INSERT INTO config_versions VALUES ('conf', 1, @json, now()), ('conf', 2, 'null', now());
            INSERT INTO endpoints VALUES
              ('a', 1, 'spec', 'conf', now(), now(), NULL, NULL), ('b', 1, NULL, NULL, now(), now(), NULL, NULL);
            UPDATE endpoints SET on_success_ref = 'b', on_failure_ref = 'b' WHERE name = 'a';
            UPDATE endpoints SET on_success_ref = 'a' WHERE name = 'b';
            INSERT INTO endpoint_versions VALUES
              ('a', 1, 'HTTP', 'spec', 'conf', @json, '{}', ARRAY['token', 'x"y,z\\w'], now(), 1, 'b', 'b', 'retry'),
              ('b', 1, 'KAFKA', NULL, NULL, '[]', '{}', '{}', now(), 0, NULL, NULL, 'fail');
            INSERT INTO breakers VALUES ('a', 'OPEN', 2, now(), now(), @text);
            INSERT INTO disabled_endpoints VALUES ('b', @text, now());
            INSERT INTO endpoint_events VALUES ('a', gen_random_uuid(), 'OPENED', @text, now() - interval '2 days');
            INSERT INTO audit_log VALUES
              (gen_random_uuid(), now() - interval '2 days', 'ci', 'CREATE', 'job', @text, 'req', '::1', @json);
            INSERT INTO jobs VALUES
              ('0a000000-0000-7000-8000-000000000001', 'default', 'a', 1, 'DELAYED', 1, NULL, NULL, 4, 'k1', @json,
               now(), NULL, ARRAY['t1', 'x"y,z\\w'], '00-trace', NULL),
              ('0b000000-0000-7000-8000-000000000001', 'default', 'a', 1, 'IMMEDIATE', 1, NULL, NULL, 4, 'k2', 'null',
               now(), NULL, NULL, NULL, '0a000000-0000-7000-8000-000000000001'),
              ('0c000000-0000-7000-8000-000000000001', 'eu', 'a', 1, 'CRON', 2, '0c000000-0000-7000-8000-000000000000',
               '0c000000-0000-7000-8000-000000000002', 68, NULL, NULL, now(), now(), '{}', NULL, NULL);
            INSERT INTO job_tags VALUES
              ('t1', '0a000000-0000-7000-8000-000000000001'), ('t2', '0b000000-0000-7000-8000-000000000001');
            INSERT INTO idempotency_keys VALUES
              ('a', 'k1', '0a000000-0000-7000-8000-000000000001', gen_random_uuid(), now()),
              ('a', 'k2', '0b000000-0000-7000-8000-000000000001', gen_random_uuid(), now());
            INSERT INTO executions VALUES
              ('0b000000-0000-7000-8000-000000000001', '0b000000-0000-7000-8000-000000000001', 'default', 4, 'SUCCESS', 2,
               2, 1, gen_random_uuid(), @json, NULL, now(), now(), now() - interval '2 days', now()),
              ('0c000000-0000-7000-8000-0000000000e1', '0c000000-0000-7000-8000-000000000001', 'default', 68, 'FAILED', 1,
               NULL, NULL, NULL, NULL, '{"type": "HTTP_5XX"}', now(), NULL, now() - interval '1 hour', now());
            INSERT INTO attempts VALUES
              ('0b000000-0000-7000-8000-000000000001', 1, 'default', 'FAILED', gen_random_uuid(), @json, @json, now(), now()),
              ('0a000000-0000-7000-8000-000000000001', 1, 'default', 'FAILED', NULL, NULL, NULL, now(), now());
            INSERT INTO execution_logs VALUES
              ('0b000000-0000-7000-8000-000000000001', gen_random_uuid(), 'default', 1, 'WARN', @text, now()),
              ('0a000000-0000-7000-8000-000000000001', gen_random_uuid(), 'default', 1, 'WARN', @text, now());
            INSERT INTO replays VALUES ('0b000000-0000-7000-8000-000000000001', gen_random_uuid(), now());
            INSERT INTO job_stats VALUES
              ('0c000000-0000-7000-8000-000000000001', date_trunc('hour', now()), 'FAILED', 7, 9000000000000000001, 5);
            INSERT INTO ticks VALUES
              ('0c000000-0000-7000-8000-000000000001', date_trunc('hour', now()) - interval '2 days', 'FIRED',
               '0c000000-0000-7000-8000-0000000000e1', 12),
              ('0c000000-0000-7000-8000-000000000001', date_trunc('hour', now()), 'MISSED', NULL, -3);
            INSERT INTO pauses VALUES
              ('0c000000-0000-7000-8000-000000000001', now() - interval '3 days', 'infinity', @text),
              ('0c000000-0000-7000-8000-000000000001', now(), NULL, NULL);
            INSERT INTO schedules VALUES
              ('0c000000-0000-7000-8000-000000000001', '0c000000-0000-7000-8000-000000000000', '0 * * * *',
               'Europe/Berlin', now() - interval '3 days', now() + interval '9 days',
               date_trunc('hour', now()) + interval '1 hour', date_trunc('hour', now()), 1000, 7, 'LAST', 3, 60000, 'SKIP',
               'SKIP', 'BOTH', 250, 41, now() - interval '1 minute', now() + interval '8 days', '2026a', @text,
               date_trunc('hour', now()) - interval '3 days', '0c000000-0000-7000-8000-000000000000');
            INSERT INTO operations VALUES
              (gen_random_uuid(), 'CANCEL', @json, 'RUNNING', 100, 5, 5, gen_random_uuid(), 1, 2, now(), 3, now(), now(), NULL),
              (gen_random_uuid(), 'REPLAY', '{}', 'SUCCEEDED', 1, NULL, NULL, gen_random_uuid(), 1, 2, now(), 0, now(), NULL,
               now() - interval '2 days');
            INSERT INTO event_log VALUES
              (1, gen_random_uuid(), gen_random_uuid(), 'a', 'FAILED', 1, 'HTTP_5XX', now(), now() - interval '2 days'),
              (2, gen_random_uuid(), gen_random_uuid(), NULL, 'STARTED', 2, NULL, NULL, now());
            INSERT INTO event_outbox (execution_id, job_id, kind, attempt, error_type, next_run_at, at)
              SELECT gen_random_uuid(), gen_random_uuid(), 'CREATED', n, 'T', now(), now() FROM generate_series(1, 12) AS g(n);
            UPDATE event_positions SET position = 2 WHERE name = 'log';
            INSERT INTO event_positions VALUES ('kafka', 1, gen_random_uuid(), now());
            INSERT INTO exec_live VALUES
              ('0a000000-0000-7000-8000-000000000001', '0a000000-0000-7000-8000-000000000001', 'default', 4,
               now() + interval '1 day', now(), now(), 1, 1, 1, 2, 1, NULL, NULL, now()),
              ('0c000000-0000-7000-8000-0000000000e2', '0c000000-0000-7000-8000-000000000001', 'default', 68,
               now() + interval '1 minute', now(), now(), 2, 0, 0, NULL, NULL, 77, gen_random_uuid(), now())
            """;
}
