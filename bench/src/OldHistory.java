import java.sql.SQLException;

/** History that is older than it is kept, written straight into the tables as if the jobs had run long ago. */
final class OldHistory {
    private static final int ROWS_PER_STATEMENT = 250_000;

    /** Of so many jobs one has what most jobs have not: an attempt that failed, a line of log, a tag, a key. */
    private static final int ONE_IN = 10;

    private static final int OLDEST_DAYS = 90;
    private static final int NEWEST_DAYS = 40;
    private static final long LIVE_JOBS = 1_000;

    private final Database target;
    private final ProgramDatabase database;
    private final long count;

    OldHistory(Database target, ProgramDatabase database, int count) {
        this.target = target;
        this.database = database;
        this.count = count;
    }

    /** Writes all of it, and leaves neither statistics nor clean-up of it to be done while something is measured. */
    void write() throws SQLException {
        HistoryDays.make(target, NEWEST_DAYS - 1, OLDEST_DAYS);
        database.execute("SET synchronous_commit = off");
        // An id has the time of its creation in its first 48 bits, and the tables are filled in that order.
        database.execute("""
                CREATE FUNCTION pg_temp.old_id(i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
                  SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - %d * 86400000::bigint
                      + i * %d * 86400000::bigint / %d), 12, '0')
                    || '7' || lpad(to_hex(i %% 4096), 3, '0') || '8' || substr(md5(i::text), 1, 15))::uuid
                $$""".formatted(OLDEST_DAYS, OLDEST_DAYS - NEWEST_DAYS, count));
        database.execute("CREATE TEMP TABLE ids (i bigint, id uuid, at timestamptz)");
        for (long from = 0; from < count; from += ROWS_PER_STATEMENT) {
            long to = Math.min(count, from + ROWS_PER_STATEMENT);
            database.execute("TRUNCATE ids");
            database.execute("""
                    INSERT INTO ids
                    SELECT i, pg_temp.old_id(i), now() - interval '%d days' + i * interval '%d days' / %d
                    FROM generate_series(%d, %d) AS i
                    """.formatted(OLDEST_DAYS, OLDEST_DAYS - NEWEST_DAYS, count, from, to - 1));
            writePart();
        }
        // Waiting for their time for as long: what retention must leave alone.
        database.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT job_id, job_id, lane, now() + interval '1 day', now() + interval '1 day', created_at
                FROM jobs ORDER BY job_id LIMIT %d
                """.formatted(LIVE_JOBS));
        database.execute("DELETE FROM executions WHERE execution_id IN (SELECT execution_id FROM exec_live)");
        database.execute("VACUUM (ANALYZE, FREEZE)");
        database.execute("CHECKPOINT");
    }

    private void writePart() throws SQLException {
        database.execute("""
                INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, idempotency_key, tags, input,
                  created_at)
                SELECT id, 'bench-history', 1, 'IMMEDIATE', 4, CASE WHEN i %% %1$d = 1 THEN 'history-' || i END,
                  CASE WHEN i %% %1$d = 2 THEN ARRAY['history'] END, '{"n": 1}', at
                FROM ids
                """.formatted(ONE_IN));
        database.execute("""
                INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, worker_id, output, run_at,
                  started_at, completed_at, created_at)
                SELECT id, id, 4, 'SUCCESS', CASE WHEN i %% %d = 0 THEN 2 ELSE 1 END, id,
                  '{"status_code": 200, "body": "{}"}', at, at, at + interval '1 second', at
                FROM ids
                """.formatted(ONE_IN));
        database.execute("""
                INSERT INTO attempts (execution_id, attempt_number, status, worker_id, error, started_at, completed_at)
                SELECT id, 1, 'FAILED', id, '{"type": "HTTP_ERROR", "status_code": 503}', at, at
                FROM ids WHERE i %% %d = 0
                """.formatted(ONE_IN));
        database.execute("""
                INSERT INTO execution_logs (execution_id, log_id, attempt_number, level, message, logged_at)
                SELECT id, id, 1, 'INFO', 'a line of log', at
                FROM ids WHERE i %% %d = 0
                """.formatted(ONE_IN));
        database.execute("""
                INSERT INTO idempotency_keys (endpoint, idempotency_key, job_id, fingerprint, created_at)
                SELECT 'bench-history', 'history-' || i, id, id, at
                FROM ids WHERE i %% %d = 1
                """.formatted(ONE_IN));
        database.execute("""
                INSERT INTO job_tags (tag, job_id)
                SELECT 'history', id
                FROM ids WHERE i %% %d = 2
                """.formatted(ONE_IN));
    }

    /** How many ended executions there are to remove. */
    long removable() {
        return count - LIVE_JOBS;
    }

    /** Whether jobs are left of those that should have been removed. */
    boolean hasJobsLeft() throws SQLException {
        return database.number("""
                SELECT count(*) FROM (
                  SELECT job_id FROM jobs WHERE endpoint = 'bench-history'
                    AND (SELECT l.job_id FROM exec_live l WHERE l.execution_id = jobs.job_id) IS NULL
                  LIMIT 1) AS few
                """) > 0;
    }

    /** How many rows are left of what should have been removed. */
    long left() throws SQLException {
        return database.number("""
                SELECT (SELECT count(*) FROM executions WHERE created_at < now() - interval '%1$d days')
                  + (SELECT count(*) FROM jobs WHERE endpoint = 'bench-history'
                       AND job_id NOT IN (SELECT job_id FROM exec_live))
                  + (SELECT count(*) FROM attempts WHERE started_at < now() - interval '%1$d days'
                       AND execution_id NOT IN (SELECT execution_id FROM exec_live))
                """.formatted(NEWEST_DAYS - 1));
    }

    /** How many of the jobs that still wait have been damaged. */
    long damaged() throws SQLException {
        return LIVE_JOBS - database.number("""
                SELECT count(*) FROM exec_live l JOIN jobs j ON j.job_id = l.job_id WHERE j.endpoint = 'bench-history'
                """);
    }
}
