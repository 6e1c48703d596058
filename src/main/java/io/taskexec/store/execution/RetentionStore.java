package io.taskexec.store.execution;

import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Removal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** Removes old history in small batches; what is not finished is never touched. */
@Singleton
public final class RetentionStore {
    private final Database database;

    public RetentionStore(Database database) {
        this.database = database;
    }

    // Ids are UUIDv7, so the range of the primary key bounds the walk by time of creation; completed_at decides, since
    // a job may have waited for longer than history is kept. What is looked at is limited, not what is found: much that
    // is kept at the beginning would else be read again with each batch, and so would the traces of what was removed.
    static final String SEEN = """
            SELECT execution_id, job_id, completed_at < $3::timestamptz AS old
            FROM executions
            WHERE execution_id > $1::uuid AND execution_id < $2::uuid
            ORDER BY execution_id
            LIMIT $4::bigint
            """;

    /** Tables with rows whose executions may have gone with the partition of their day. */
    public enum LeftOver {
        JOBS("jobs", "job_id"),
        REPLAYS("replays", "execution_id"),
        DEFERRALS("deferrals", "execution_id"),
        PROGRESS("execution_progress", "execution_id"),
        APPROVALS("approvals", "execution_id"),
        RUNS("workflow_runs", "run_id");

        final String seen;

        LeftOver(String table, String id) {
            // An execution that has not ended is in the queue, and cannot come to be there again.
            seen = """
                    WITH seen AS MATERIALIZED (
                      SELECT %1$s AS id FROM %2$s
                      WHERE %1$s > $1::uuid AND %1$s < $2::uuid
                      ORDER BY %1$s
                      LIMIT $3::bigint
                    )
                    SELECT id AS execution_id, id AS job_id,
                           (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = seen.id) IS NULL
                             AND (SELECT x.execution_id FROM executions x WHERE x.execution_id = seen.id) IS NULL AS old
                    FROM seen
                    ORDER BY id
                    """.formatted(id, table);
        }
    }

    // A job that is just being repeated has an execution that cannot be seen yet: the lock waits for it, or it for the
    // lock. A statement of its own, so that the next one sees that execution.
    static final String LOCK_JOBS = """
            SELECT job_id FROM jobs
            WHERE job_id = ANY($1::uuid[]) AND trigger_type IN ('IMMEDIATE', 'DELAYED')
            ORDER BY job_id
            FOR UPDATE
            """;

    // The outputs of parents stay until their children have ended, also those that are being repeated, and jobs of a
    // workflow as long as its run, and that as long as a run that repeats it. A statement after the lock: who makes a
    // job depend on one of these has waited for
    // it, or is seen. A child that is just being repeated is not.
    static final String NEEDED = """
            SELECT DISTINCT e.parent_id FROM job_edges e
            WHERE e.parent_id = ANY($1::uuid[])
              AND ((SELECT l.execution_id FROM exec_live l WHERE l.execution_id = e.child_id) IS NOT NULL
                OR (SELECT l.job_id FROM exec_live l WHERE l.job_id = e.child_id AND l.execution_id <> l.job_id
                    LIMIT 1) IS NOT NULL)
            UNION ALL
            SELECT n.job_id FROM workflow_nodes n WHERE n.job_id = ANY($1::uuid[])
            UNION ALL
            SELECT r.retry_of FROM workflow_runs r WHERE r.retry_of = ANY($1::uuid[]) AND NOT r.ended
            """;

    // What is lost of it in a crash is removed once more, so no caller waits for its commit, and those of others do not
    // wait behind its writes: set_config, which says nothing to CockroachDB, holds to the end of the
    // transaction.
    //
    // A one-shot job goes with its last execution, replays included, and with it its tags, what it waited for, and its
    // key, which has expired before unless no sweep ran. Runs that are no jobs wait for theirs by their own ids. Arrays
    // and subqueries, since a join may make the planner read a whole index.
    // The range beside the array tells it the partitions.
    static final String DELETE = """
            WITH deleted_attempts AS (
              DELETE FROM attempts
              WHERE execution_id = ANY($1::uuid[]) AND execution_id >= $3::uuid AND execution_id <= $4::uuid
            ), deleted_logs AS (
              DELETE FROM execution_logs
              WHERE execution_id = ANY($1::uuid[]) AND execution_id >= $3::uuid AND execution_id <= $4::uuid
            ), deleted_replays AS (
              DELETE FROM replays WHERE execution_id = ANY($1::uuid[])
            ), deleted_deferrals AS (
              DELETE FROM deferrals WHERE execution_id = ANY($1::uuid[])
            ), deleted_approvals AS (
              DELETE FROM approvals WHERE execution_id = ANY($1::uuid[])
            ), deleted_progress AS (
              DELETE FROM execution_progress WHERE execution_id = ANY($1::uuid[])
            ), deleted_runs AS (
              DELETE FROM workflow_runs WHERE run_id = ANY($1::uuid[])
            ), deleted_nodes AS (
              DELETE FROM workflow_nodes WHERE run_id = ANY($1::uuid[])
            ), deleted_jobs AS (
              DELETE FROM jobs j
              WHERE j.job_id = ANY($2::uuid[]) AND j.trigger_type IN ('IMMEDIATE', 'DELAYED')
                AND (SELECT l.job_id FROM exec_live l
                     WHERE l.job_id = j.job_id AND l.execution_id <> l.job_id LIMIT 1) IS NULL
                AND (SELECT x.job_id FROM executions x
                     WHERE x.execution_id = j.job_id AND x.execution_id <> ALL($1::uuid[]) LIMIT 1) IS NULL
                AND (SELECT x.job_id FROM executions x
                     WHERE x.job_id = j.job_id AND x.execution_id <> x.job_id
                       AND x.execution_id <> ALL($1::uuid[]) LIMIT 1) IS NULL
              RETURNING j.job_id, j.endpoint, j.idempotency_key, j.tags
            ), deleted_keys AS (
              DELETE FROM idempotency_keys k USING deleted_jobs gone
              WHERE k.endpoint = gone.endpoint AND k.idempotency_key = gone.idempotency_key AND k.job_id = gone.job_id
            ), deleted_tags AS (
              DELETE FROM job_tags t USING deleted_jobs gone WHERE t.tag = ANY(gone.tags) AND t.job_id = gone.job_id
            ), deleted_edges AS (
              DELETE FROM job_edges e
              WHERE e.child_id = ANY(ARRAY(SELECT job_id FROM deleted_jobs) || $1::uuid[])
                AND (e.child_id = ANY(ARRAY(SELECT job_id FROM deleted_jobs))
                  OR (SELECT j.job_id FROM jobs j WHERE j.job_id = e.child_id) IS NULL)
            ), deleted_stats AS (
              DELETE FROM job_stats s USING deleted_jobs gone WHERE s.job_id = gone.job_id
            )
            DELETE FROM executions
            WHERE execution_id = ANY($1::uuid[]) AND execution_id >= $3::uuid AND execution_id <= $4::uuid
              AND (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL
            """;

    /** An execution that was looked at. */
    private record Seen(UUID executionId, UUID jobId, boolean old) {}

    /**
     * Looks at no more than {@code limit} executions in the order of their ids, after {@code after} and before {@code
     * before}, and removes those that ended before {@code end}.
     */
    public Uni<Removal> deleteEndedBefore(Instant end, UUID after, UUID before, int limit) {
        return database.run(SEEN, Tuple.of(after, before, utc(end), (long) limit))
                .map(rows -> Columns.list(rows, RetentionStore::readSeen))
                .chain(this::delete);
    }

    /**
     * Looks at no more than {@code limit} rows between these ids, and removes those whose executions are gone, jobs
     * with their last one.
     */
    public Uni<Removal> deleteLeftOver(LeftOver table, UUID after, UUID before, int limit) {
        return database.run(table.seen, Tuple.of(after, before, (long) limit))
                .map(rows -> Columns.list(rows, RetentionStore::readSeen))
                .chain(this::delete);
    }

    private static Seen readSeen(Row row) {
        return new Seen(row.getUUID("execution_id"), row.getUUID("job_id"), row.getBoolean("old"));
    }

    /** An execution that has ended never changes, so that of two who remove the same the second one finds it gone. */
    private Uni<Removal> delete(List<Seen> seen) {
        var last = seen.isEmpty() ? null : seen.getLast().executionId();
        var old = seen.stream().filter(Seen::old).toList();
        if (old.isEmpty()) {
            return Uni.createFrom().item(new Removal(seen.size(), 0, last));
        }
        return database.withTransaction(transaction -> Database.on(transaction, LOCK_JOBS, array(old, Seen::jobId))
                        .chain(() -> Database.on(transaction, NEEDED, array(old, Seen::executionId)))
                        .map(rows -> Columns.ids(rows, "parent_id"))
                        .map(needed -> old.stream()
                                .filter(it -> !needed.contains(it.executionId()))
                                .toList())
                        .chain(free -> Database.on(
                                transaction,
                                DELETE,
                                array(free, Seen::executionId)
                                        .addValue(ids(free, Seen::jobId))
                                        .addValue(old.getFirst().executionId())
                                        .addValue(old.getLast().executionId()))))
                .map(rows -> new Removal(seen.size(), rows.rowCount(), last));
    }

    private static Tuple array(List<Seen> seen, Function<Seen, UUID> id) {
        return Tuple.tuple().addValue(ids(seen, id));
    }

    private static UUID[] ids(List<Seen> seen, Function<Seen, UUID> id) {
        return seen.stream().map(id).distinct().toArray(UUID[]::new);
    }

    // The trigger audit_log_is_kept refuses to remove younger entries, however short history is kept.
    static final String DELETE_AUDIT = """
            WITH old AS MATERIALIZED (
              SELECT audit_id FROM audit_log
              WHERE audit_id < $1::uuid AND at < $2::timestamptz AND at < now() - INTERVAL '30 days'
              ORDER BY audit_id
              LIMIT $3::bigint
            )
            DELETE FROM audit_log USING old WHERE audit_log.audit_id = old.audit_id
            """;

    static final String DELETE_EVENTS = """
            WITH old AS MATERIALIZED (
              SELECT endpoint, event_id FROM endpoint_events
              WHERE at < $1::timestamptz
              ORDER BY at
              LIMIT $2::bigint
            )
            DELETE FROM endpoint_events e USING old WHERE e.endpoint = old.endpoint AND e.event_id = old.event_id
            """;

    /** Removes at most {@code limit} events of endpoints that happened before {@code end}; returns how many. */
    public Uni<Integer> deleteEventsBefore(Instant end, int limit) {
        return database.run(DELETE_EVENTS, Tuple.of(utc(end), (long) limit)).map(rows -> rows.rowCount());
    }

    /**
     * Removes at most {@code limit} entries of the audit log that were made before {@code end} and at least 30 days
     * ago; returns how many.
     */
    public Uni<Integer> deleteAuditBefore(Instant end, int limit) {
        return database.run(DELETE_AUDIT, Tuple.of(Uuid7.floor(end), utc(end), (long) limit))
                .map(rows -> rows.rowCount());
    }

    static final String DELETE_OPERATIONS = """
            WITH old AS MATERIALIZED (
              SELECT operation_id FROM operations
              WHERE operation_id < $1::uuid AND ended_at < $2::timestamptz
              ORDER BY operation_id
              LIMIT $3::bigint
            )
            DELETE FROM operations USING old WHERE operations.operation_id = old.operation_id
            """;

    /** Removes at most {@code limit} operations that ended before {@code end}; returns how many. */
    public Uni<Integer> deleteOperationsBefore(Instant end, int limit) {
        return database.run(DELETE_OPERATIONS, Tuple.of(Uuid7.floor(end), utc(end), (long) limit))
                .map(rows -> rows.rowCount());
    }
}
