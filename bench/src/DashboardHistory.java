import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a month of use leaves behind, for lists to find their way in: much of most kinds, next to nothing of some, and
 * that the oldest, where a list that begins with the newest gets to last.
 */
final class DashboardHistory {
    /** Of an endpoint, a queue and a tag that only the oldest executions have. */
    static final String RARE = "bench-rare";

    /** Of an endpoint and a queue that nothing has used. */
    static final String UNUSED = "bench-unused";

    private static final int ROWS_PER_STATEMENT = 250_000;
    private static final int ENDPOINTS = 200;
    private static final int QUEUES = 50;
    private static final int SCHEDULES = 2_000;
    private static final int LIVE = 200_000;
    private static final int RARE_ROWS = 1_000;

    private final ApiClient api;
    private final ProgramDatabase database;
    private final long count;

    DashboardHistory(ApiClient api, ProgramDatabase database, int count) {
        this.api = api;
        this.database = database;
        this.count = count;
    }

    void write() throws IOException, InterruptedException, SQLException {
        createNames();
        database.execute("SET synchronous_commit = off");
        // An id has the time of its creation in its first 48 bits, and the tables are filled in that order.
        database.execute("""
                CREATE FUNCTION pg_temp.id_at(i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
                  SELECT (lpad(to_hex(floor(extract(epoch FROM now()) * 1000)::bigint - 30 * 86400000::bigint
                      + i * (30 * 86400000::bigint) / %d), 12, '0')
                    || '7' || lpad(to_hex(i %% 4096), 3, '0') || '8' || substr(md5(i::text), 1, 15))::uuid
                $$""".formatted(count));
        database.execute("CREATE TEMP TABLE ids (i bigint, id uuid, job_id uuid, at timestamptz, endpoint text,"
                + " lane integer, status text)");
        database.execute("""
                CREATE TEMP TABLE names AS
                SELECT v.name, v.queue_id * 128 + 4 AS lane,
                  CASE WHEN v.name = '%s' THEN -1 ELSE split_part(v.name, '-', 3)::integer END AS place
                FROM endpoint_versions v WHERE v.name LIKE 'bench-dashboard-%%' OR v.name = '%1$s'
                """.formatted(RARE));
        database.execute("""
                CREATE TEMP TABLE fired AS
                SELECT job_id, endpoint, lane, row_number() OVER (ORDER BY job_id) - 1 AS place
                FROM jobs WHERE trigger_type = 'CRON'
                """);
        for (long from = 0; from < count; from += ROWS_PER_STATEMENT) {
            long to = Math.min(count, from + ROWS_PER_STATEMENT) - 1;
            database.execute("TRUNCATE ids");
            // Every fifth is a tick of a schedule, every fiftieth the run of a workflow of three jobs.
            database.execute("""
                    INSERT INTO ids
                    SELECT i, pg_temp.id_at(i), coalesce(fired.job_id, pg_temp.id_at(i)),
                      now() - interval '30 days' + i * interval '30 days' / %d,
                      CASE WHEN i %% 50 = 1 THEN '_workflow' ELSE coalesce(fired.endpoint, names.name) END,
                      CASE WHEN i %% 50 = 1 THEN 4 ELSE coalesce(fired.lane, names.lane) END,
                      CASE WHEN i %% 40 = 7 OR i < %d AND i %% 2 = 1 THEN 'FAILED' WHEN i %% 200 = 9 THEN 'CANCELLED'
                        WHEN i %% 1000 = 11 THEN 'EXPIRED' WHEN i %% 1000 = 13 THEN 'SKIPPED' ELSE 'SUCCESS' END
                    FROM generate_series(%d, %d) AS i
                    JOIN names ON names.place = CASE WHEN i < %2$d THEN -1 ELSE (i / 7 %% %d)::integer END
                    LEFT JOIN fired ON i %% 5 = 0 AND fired.place = i / 5 %% %d
                    ORDER BY i
                    """.formatted(count, RARE_ROWS, from, to, ENDPOINTS, SCHEDULES));
            writePart();
        }
        writeLive();
        writeOthers();
        database.execute("VACUUM (ANALYZE, FREEZE)");
        database.execute("CHECKPOINT");
    }

    private void createNames() throws IOException, InterruptedException {
        List<String> queues = new ArrayList<>(List.of(RARE, UNUSED));
        for (int n = 0; n < QUEUES; n++) {
            queues.add("bench-queue-" + n);
        }
        for (String queue : queues) {
            api.createQueue("{\"name\":\"" + queue + "\"}");
        }
        createEndpoint(RARE, RARE);
        createEndpoint(UNUSED, UNUSED);
        for (int n = 0; n < ENDPOINTS; n++) {
            createEndpoint(endpoint(n), "bench-queue-" + n % QUEUES);
        }
        api.createSchedules(
                SCHEDULES,
                n -> "{\"endpoint\":\"%s\",\"trigger\":\"CRON\",\"cron\":\"%d %d * * *\",\"timezone\":\"UTC\"}"
                        .formatted(endpoint(n % ENDPOINTS), n % 60, n / 60 % 24));
    }

    private void createEndpoint(String name, String queue) throws IOException, InterruptedException {
        api.createEndpoint(EndpointJson.USUAL.queue(queue).registration(name, "http://127.0.0.1:9/"));
    }

    private static String endpoint(int n) {
        return "bench-dashboard-" + n;
    }

    private void writePart() throws SQLException {
        database.execute("""
                INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, tags, input, created_at)
                SELECT id, endpoint, 1, 'IMMEDIATE', lane,
                  CASE WHEN i < %d THEN ARRAY['%s'] WHEN i %% 10 = 2 THEN ARRAY['bench'] END,
                  json_build_object('n', i, 'text', 'an input of two hundred bytes, as jobs have that name an order,'
                    || ' a customer and what is to be done about it; nobody reads it in a list'), at
                FROM ids WHERE id = job_id
                """.formatted(RARE_ROWS, RARE));
        database.execute("""
                INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, worker_id, output, error,
                  run_at, started_at, completed_at, created_at)
                SELECT id, job_id, lane, status, CASE WHEN i % 10 = 0 THEN 2 ELSE 1 END, id,
                  CASE WHEN status = 'SUCCESS' THEN '{"status_code": 200, "body": "{}"}'::json END,
                  CASE WHEN status = 'FAILED' THEN json_build_object(
                    'type', CASE WHEN i < 1000 THEN 'EGRESS_BLOCKED' WHEN i % 400 = 7 THEN 'TIMEOUT'
                      ELSE 'HTTP_ERROR' END,
                    'message', 'the receiver answered with status 503', 'status_code', 503) END,
                  at, at, at + interval '1 second', at
                FROM ids
                """);
        database.execute("""
                INSERT INTO attempts (execution_id, attempt_number, status, worker_id, error, started_at, completed_at)
                SELECT id, 1, 'FAILED', id, '{"type": "HTTP_ERROR", "status_code": 503}', at, at FROM ids
                WHERE i % 10 = 0
                """);
        database.execute("""
                INSERT INTO execution_logs (execution_id, log_id, attempt_number, level, message, logged_at)
                SELECT id, id, 1, 'INFO', 'a line of log', at FROM ids WHERE i % 10 = 0
                """);
        database.execute("INSERT INTO job_tags (tag, job_id) SELECT unnest(j.tags), j.job_id FROM jobs j"
                + " JOIN ids ON ids.id = j.job_id WHERE j.tags IS NOT NULL");
        // All failures but the oldest were repeated, as after a bulk retry.
        database.execute("""
                INSERT INTO replays (execution_id, replay_id, replayed_at)
                SELECT id, id, at FROM ids WHERE status = 'FAILED' AND i >= 1000
                """);
        database.execute("""
                INSERT INTO ticks (job_id, scheduled_at, outcome, execution_id, lateness_ms)
                SELECT job_id, at, 'FIRED', id, 5 FROM ids WHERE id <> job_id
                """);
        database.execute("""
                INSERT INTO job_stats (job_id, hour, status, bucket, count, total_ms)
                SELECT job_id, date_trunc('hour', at), status, 60 + (i % 7)::smallint, count(*), 1000 * count(*)
                FROM ids WHERE id <> job_id GROUP BY 1, 2, 3, 4
                """);
        database.execute("""
                INSERT INTO workflow_runs (run_id, job_id, name, started_at, ended)
                SELECT id, id, CASE WHEN i < 1000 THEN '%s' ELSE 'bench-flow-' || i / 50 %% 100 END, at, true
                FROM ids WHERE i %% 50 = 1
                """.formatted(RARE));
        database.execute("""
                INSERT INTO workflow_nodes (run_id, name, job_id)
                SELECT pg_temp.id_at(i - i % 50 + 1), 'step-' || i % 50 - 1, id FROM ids WHERE i % 50 IN (2, 3, 4)
                """);
        database.execute("""
                INSERT INTO approvals (execution_id, attempt, title, announce, asked_at, deadline, on_timeout, decision,
                  decided_by, decided_via, decided_at)
                SELECT id, 1, 'May it go on?', 'bench-dashboard-0', at, at, 'fail', 'approve', 'bench', 'key', at
                FROM ids WHERE i % 100 = 21
                """);
        database.execute("""
                INSERT INTO audit_log (audit_id, at, actor, action, resource_kind, resource, request_id, remote_address)
                SELECT id, at, 'bench', 'cancel', 'execution', 'exec_1', 'request', '127.0.0.1' FROM ids
                WHERE i % 25 = 3
                """);
    }

    /** What waits for tomorrow, and a little that has begun. */
    private void writeLive() throws SQLException {
        database.execute("""
                WITH ids AS MATERIALIZED (SELECT n, uuidv7() AS id FROM generate_series(1, %d) AS n),
                new AS (
                  INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, created_at)
                  SELECT id, name, 1, 'DELAYED', lane, now() FROM ids JOIN names ON place = n %% %d
                  RETURNING job_id, lane
                )
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at, attempt, failures,
                  started_at)
                SELECT id, id, lane, now() + interval '1 day', now() + interval '1 day', now(),
                  CASE WHEN n %% 50 = 0 THEN 1 ELSE 0 END, CASE WHEN n %% 50 = 0 THEN 1 ELSE 0 END,
                  CASE WHEN n %% 50 = 0 THEN now() END
                FROM ids JOIN new ON job_id = id
                """.formatted(LIVE, ENDPOINTS));
    }

    /** Workers that tell of themselves until tomorrow, and operations that are over. */
    private void writeOthers() throws SQLException {
        database.execute("""
                INSERT INTO workers (worker_id, host, started_at, last_seen_at, slots, used_slots, activity, pressure)
                SELECT uuidv7(), 'host-' || n, now(), now() + interval '1 day', 200, n, (
                  SELECT json_build_object('ended', 1000, 'least_urgent', 7, 'endpoints', json_agg(json_build_object(
                    'endpoint', 'bench-dashboard-' || (n * 7 + k) % 200, 'running', 1, 'attempts', 50, 'failures', 1,
                    'latencies', json_build_object('20', 20, '40', 30))))
                  FROM generate_series(1, 20) AS k), '{"cpu": 0.3}'
                FROM generate_series(1, 50) AS n
                """);
        database.execute("""
                INSERT INTO operations (operation_id, action, selection, status, rate_per_sec, total, done, next_at,
                  created_at, started_at, ended_at)
                SELECT uuidv7(), 'RETRY', '{"status": "FAILED"}', 'SUCCEEDED', 100, 500, 500, now(), now(), now(), now()
                FROM generate_series(1, 500)
                """);
    }
}
