package io.taskexec.store.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.JobStats;
import io.taskexec.model.job.JobStats.Slot;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.UUID;

/** Reads the state of a job and how its executions have ended lately. */
@Singleton
public final class StatusStore {
    private final Database database;

    public StatusStore(Database database) {
        this.database = database;
    }

    /**
     * Executions that have not ended.
     *
     * @param pending waiting for their time, a worker or the next attempt
     */
    public record Active(long pending, long running) {}

    // Two branches, because the execution of a one-shot job is found by its own id and the others by the partial index.
    private static final String ACTIVE = """
            SELECT count(*) FILTER (WHERE running) AS running, count(*) FILTER (WHERE NOT running) AS pending
            FROM (
              SELECT lease_token IS NOT NULL AND visible_at > now() AS running
              FROM exec_live WHERE execution_id = $1::uuid
              UNION ALL
              SELECT lease_token IS NOT NULL AND visible_at > now()
              FROM exec_live WHERE job_id = $1::uuid AND execution_id <> job_id
            ) AS live
            """;

    /** The executions of a job that have not ended. */
    public Uni<Active> active(UUID jobId) {
        return database.run(ACTIVE, Tuple.of(jobId))
                .map(rows -> rows.iterator().next())
                .map(row -> new Active(row.getLong("pending"), row.getLong("running")));
    }

    private static final String LAST_DAY = """
            SELECT status, bucket, sum(count)::bigint AS count, sum(total_ms)::bigint AS total_ms
            FROM (
              SELECT status, bucket, count, total_ms
              FROM job_stats
              WHERE job_id = $1::uuid AND hour >= date_trunc('hour', now()) - interval '23 hours'
              UNION ALL
              SELECT x.status, ceil(ln(t.ms + 1) * 10)::smallint, 1::bigint, t.ms::bigint
              FROM executions x,
                LATERAL (SELECT greatest(extract(epoch FROM x.completed_at - x.started_at)::float8 * 1000, 0)) AS t(ms)
              WHERE x.execution_id = $1::uuid AND (x.started_at IS NOT NULL OR x.status = 'EXPIRED')
                AND x.completed_at >= date_trunc('hour', now()) - interval '23 hours'
            ) AS ended
            GROUP BY status, bucket
            ORDER BY bucket
            """;

    /** How the executions of a job ended within this hour and the 23 before it. */
    public Uni<JobStats> lastDay(UUID jobId) {
        return database.run(LAST_DAY, Tuple.of(jobId))
                .map(rows -> new JobStats(Columns.list(rows, StatusStore::readSlot)));
    }

    private static Slot readSlot(Row row) {
        return new Slot(
                row.getString("status"), row.getInteger("bucket"), row.getLong("count"), row.getLong("total_ms"));
    }
}
