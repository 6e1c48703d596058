package io.taskexec.store;

import static io.taskexec.store.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;

/** Removes old history in small batches; what is not finished is never touched. */
@Singleton
public final class RetentionStore {
    private final Database database;

    public RetentionStore(Database database) {
        this.database = database;
    }

    // Ids are UUIDv7, so the range of the primary key bounds the scan by time of creation; completed_at decides,
    // because a job may have waited for longer than history is kept. A one-shot job goes with its last execution,
    // replays
    // included, and with it its tags and its key, which has expired before unless nobody swept.
    private static final String DELETE = """
            WITH old AS MATERIALIZED (
              SELECT execution_id, job_id FROM executions
              WHERE execution_id < $1::uuid AND completed_at < $2::timestamptz
              ORDER BY execution_id
              LIMIT $3::bigint
            ), a AS (
              DELETE FROM attempts USING old WHERE attempts.execution_id = old.execution_id
            ), g AS (
              DELETE FROM execution_logs USING old WHERE execution_logs.execution_id = old.execution_id
            ), r AS (
              DELETE FROM replays USING old WHERE replays.execution_id = old.execution_id
            ), j AS (
              DELETE FROM jobs USING old
              WHERE jobs.job_id = old.job_id AND jobs.trigger_type IN ('IMMEDIATE', 'DELAYED')
                AND NOT EXISTS (SELECT 1 FROM exec_live l WHERE l.job_id = jobs.job_id AND l.execution_id <> l.job_id)
                AND NOT EXISTS (SELECT 1 FROM executions x WHERE x.execution_id = jobs.job_id
                  AND x.execution_id NOT IN (SELECT execution_id FROM old))
                AND NOT EXISTS (SELECT 1 FROM executions x WHERE x.job_id = jobs.job_id AND x.execution_id <> x.job_id
                  AND x.execution_id NOT IN (SELECT execution_id FROM old))
              RETURNING jobs.job_id, jobs.endpoint, jobs.idempotency_key, jobs.tags
            ), k AS (
              DELETE FROM idempotency_keys k USING j
              WHERE k.endpoint = j.endpoint AND k.idempotency_key = j.idempotency_key AND k.job_id = j.job_id
            ), t AS (
              DELETE FROM job_tags t USING j WHERE t.tag = ANY(j.tags) AND t.job_id = j.job_id
            )
            DELETE FROM executions USING old WHERE executions.execution_id = old.execution_id
            """;

    /** Removes at most {@code limit} executions that ended before {@code end}; gives how many. */
    public Uni<Integer> deleteEndedBefore(Instant end, int limit) {
        return database.run(DELETE, Tuple.of(Uuid7.floor(end), utc(end), (long) limit))
                .map(rows -> rows.rowCount());
    }

    private static final String DELETE_AUDIT = """
            WITH old AS MATERIALIZED (
              SELECT audit_id FROM audit_log
              WHERE audit_id < $1::uuid AND at < $2::timestamptz
              ORDER BY audit_id
              LIMIT $3::bigint
            )
            DELETE FROM audit_log USING old WHERE audit_log.audit_id = old.audit_id
            """;

    private static final String DELETE_EVENTS = """
            DELETE FROM endpoint_events WHERE (endpoint, event_id) IN (
              SELECT endpoint, event_id FROM endpoint_events WHERE at < $1::timestamptz LIMIT $2::bigint)
            """;

    /** Removes at most {@code limit} events of endpoints that happened before {@code end}; gives how many. */
    public Uni<Integer> deleteEventsBefore(Instant end, int limit) {
        return database.run(DELETE_EVENTS, Tuple.of(utc(end), (long) limit)).map(rows -> rows.rowCount());
    }

    /** Removes at most {@code limit} entries of the audit log that were made before {@code end}; gives how many. */
    public Uni<Integer> deleteAuditBefore(Instant end, int limit) {
        return database.run(DELETE_AUDIT, Tuple.of(Uuid7.floor(end), utc(end), (long) limit))
                .map(rows -> rows.rowCount());
    }

    private static final String DELETE_OPERATIONS = """
            WITH old AS MATERIALIZED (
              SELECT operation_id FROM operations
              WHERE operation_id < $1::uuid AND ended_at < $2::timestamptz
              ORDER BY operation_id
              LIMIT $3::bigint
            )
            DELETE FROM operations USING old WHERE operations.operation_id = old.operation_id
            """;

    /** Removes at most {@code limit} operations that ended before {@code end}; gives how many. */
    public Uni<Integer> deleteOperationsBefore(Instant end, int limit) {
        return database.run(DELETE_OPERATIONS, Tuple.of(Uuid7.floor(end), utc(end), (long) limit))
                .map(rows -> rows.rowCount());
    }
}
