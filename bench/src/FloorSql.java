/**
 * The three statements of a durable queue with history, each over many rows: shaped like those of taskexec, on its tables
 * and indexes, without what leases, retries, statistics and versions need.
 */
final class FloorSql {
    private FloorSql() {}

    /** Creates the jobs from one number to another; the numbers that arrive are one less. */
    static final String CREATE = """
            WITH ids AS MATERIALIZED (SELECT n, uuidv7() AS id FROM generate_series(?, ?) AS n),
            k AS (
              INSERT INTO idempotency_keys (endpoint, idempotency_key, job_id, fingerprint, created_at)
              SELECT 'floor', id::text, id, id, now() FROM ids
            ), j AS (
              INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, idempotency_key, input, created_at)
              SELECT id, 'floor', 1, 'IMMEDIATE', 2, id::text, ('{"n":' || n - 1 || '}')::json, now() FROM ids
            )
            INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
            SELECT id, id, 2, now(), now(), now() FROM ids
            """;

    static final String CLAIM = """
            WITH c AS MATERIALIZED (
              SELECT execution_id FROM exec_live
              WHERE lane = ANY('{0,1,2,3,4}'::int[]) AND visible_at <= now()
              ORDER BY lane, visible_at LIMIT ? FOR UPDATE SKIP LOCKED
            ), q AS (
              UPDATE exec_live q
              SET visible_at = now() + interval '1 minute', lease_token = 1, worker_id = q.execution_id, started_at = now(),
                  attempt = q.attempt + 1
              WHERE q.execution_id = ANY(ARRAY(SELECT execution_id FROM c))
              RETURNING q.execution_id, q.job_id
            )
            SELECT q.execution_id, j.input::text FROM q LEFT JOIN jobs j ON j.job_id = q.job_id
            """;

    // No join, nor one above with what was claimed: of a table that was empty when it was looked at last, it would
    // compare each row with each.
    static final String RECORD = """
            WITH d AS (
              DELETE FROM exec_live q WHERE q.execution_id = ANY(?::uuid[]) AND q.lease_token = 1
              RETURNING q.*, (?::text[])[array_position(?::uuid[], q.execution_id)] AS output
            )
            INSERT INTO executions (execution_id, job_id, region, lane, status, attempt_count, worker_id, output, run_at,
              started_at, completed_at, created_at)
            SELECT execution_id, job_id, region, lane, 'SUCCESS', attempt, worker_id, output::json, run_at,
              started_at, now(), created_at
            FROM d
            """;
}
