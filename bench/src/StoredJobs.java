import java.sql.SQLException;

/** Rows that many jobs would have left, written straight into the tables: through the API it would take hours. */
final class StoredJobs {
    private static final int STATEMENT = 250_000;

    private StoredJobs() {}

    /**
     * Adds jobs like one that the API has created.
     *
     * @param job the id of that one, as it stands in the table
     * @param rows the SQL that makes further rows of the CTE "ids" and the job "j"
     */
    private static void add(Database database, String job, int from, int count, String rows) throws SQLException {
        add(database, job, from, count, "interval '0'", rows);
    }

    private static void add(Database database, String job, int from, int count, String shift, String rows)
            throws SQLException {
        for (int first = from; first < from + count; first += STATEMENT) {
            int last = Math.min(first + STATEMENT, from + count) - 1;
            database.execute("""
                    WITH ids AS MATERIALIZED (
                      SELECT n, %s AS shift, uuidv7(%s) AS id FROM generate_series(%d, %d) AS n
                    ),
                    j AS (SELECT * FROM jobs WHERE job_id = '%s'),
                    new AS (
                      INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, input, created_at)
                      SELECT id, endpoint, endpoint_version, trigger_type, lane, ('{"n":' || n || '}')::json, created_at
                      FROM ids, j
                    )
                    %s
                    """.formatted(shift, shift, first, last, job, rows));
        }
    }

    /** Executions that have ended well, as many on each of the days before today. */
    static void addFinished(Database database, String job, int count, int days) throws SQLException {
        String shift = "(n::bigint * %d / %d - %d) * interval '1 day'".formatted(days, count, days);
        add(database, job, 0, count, shift, """
                INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, worker_id, output, run_at,
                  started_at, completed_at, created_at)
                SELECT id, id, lane, 'SUCCESS', 1, job_id, '{"status":200,"body":"OK"}', created_at + shift,
                  created_at + shift, created_at + shift, created_at + shift
                FROM ids, j
                """);
    }

    /** Executions that come due at a time, an SQL expression, with the numbers of their inputs from one on. */
    static void addLive(Database database, String job, int from, int count, String visibleAt) throws SQLException {
        add(database, job, from, count, """
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT id, id, lane, %s, %s, created_at FROM ids, j
                """.formatted(visibleAt, visibleAt));
    }
}
