package io.taskexec.store;

import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;

/**
 * Finds jobs that are not finished and stay on an older version of their endpoint, which may need what the current one
 * does not. Deletes are rare, so these may look at every waiting job.
 */
final class WaitingJobs {
    private WaitingJobs() {}

    private static final String WAITING = """
            SELECT 1
            FROM endpoint_versions v
            JOIN jobs j ON j.endpoint = v.name AND j.endpoint_version = v.version
            WHERE (EXISTS (SELECT 1 FROM exec_live l WHERE l.job_id = j.job_id)
                OR EXISTS (SELECT 1 FROM schedules s WHERE s.job_id = j.job_id AND s.next_run_at IS NOT NULL))
            """;

    static final String NEED_CONFIG = WAITING + "AND v.config_ref = $1::text LIMIT 1";

    static final String NEED_SECRET = WAITING + "AND $1::text = ANY(v.secret_refs) LIMIT 1";

    static void refuseIfAny(RowSet<Row> waiting) {
        if (waiting.rowCount() > 0) {
            throw new InUseException("Jobs that are not finished need it.");
        }
    }
}
