package io.taskexec.store.execution;

import static io.taskexec.store.sql.Columns.between;
import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.json;
import static io.taskexec.store.sql.Columns.jsonOrNull;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.job.Attempt;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.wait.Deferral;
import io.taskexec.model.wait.Progress;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wait.DeferralColumns;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads executions, live and finished, and their attempts as one list. */
@Singleton
public final class ExecutionStore {
    private final Database database;

    public ExecutionStore(Database database) {
        this.database = database;
    }

    /** The status of a row of exec_live with this alias. A run of a workflow that waits for its jobs runs. */
    public static String liveStatus(String alias) {
        return """
                   CASE WHEN l.deferred THEN 'DEFERRED'
                        WHEN l.lease_token IS NOT NULL AND l.visible_at > now() THEN 'RUNNING'
                        WHEN l.trigger_rule = 8 THEN 'RUNNING'
                        WHEN l.attempt > 0 THEN 'RETRYING'
                        WHEN l.trigger_rule IS NOT NULL THEN 'WAITING'
                        WHEN l.visible_at > now() AND l.flow_state <> 1 THEN 'PENDING'
                        ELSE 'QUEUED' END
                """.replace(" l.", " " + alias + ".");
    }

    private static final String LIVE_STATUS = liveStatus("l");

    /** Columns of an execution from exec_live as l and executions as x, of which one has it. */
    public static final String STATE = """
                   coalesce(x.execution_id, l.execution_id) AS execution_id,
                   coalesce(x.status,
            """ + LIVE_STATUS + """
                   ) AS status,
                   coalesce(x.attempt_count, l.attempt) AS attempt_count,
                   coalesce(x.config_version, l.config_version) AS config_version,
                   x.output::text AS output, x.error::text AS error,
                   coalesce(x.run_at, l.run_at) AS run_at,
                   CASE WHEN x.execution_id IS NULL AND l.lease_token IS NULL AND l.flow_state <> 1
                          AND l.trigger_rule IS NULL AND NOT l.deferred
                        THEN l.visible_at END AS next_attempt_at,
                   CASE WHEN x.execution_id IS NULL THEN l.started_at ELSE x.started_at END AS started_at,
                   x.completed_at, coalesce(x.created_at, l.created_at) AS created_at,
                   coalesce(x.endpoint_version, l.endpoint_version, j.endpoint_version) AS run_endpoint_version
            """;

    /** The columns of executions by themselves. The execution within a job is shown in short, and read more often. */
    static final String COLUMNS = """
            SELECT j.job_id, j.endpoint, j.endpoint_version, v.endpoint_type,
                   coalesce(j.options -> 'target' -> 'retry_policy', v.retry_policy)::text AS retry_policy,
                   (SELECT p.replay_id FROM replays p WHERE p.execution_id = x.execution_id) AS retried_as,
            """ + DeferralColumns.COLUMNS + STATE;

    /** The tables of {@link #COLUMNS}, beside the ids that are wanted. */
    static final String OF_WANTED = """
            LEFT JOIN exec_live l ON l.execution_id = wanted.id
            LEFT JOIN executions x ON x.execution_id = wanted.id
            JOIN jobs j ON j.job_id = coalesce(x.job_id, l.job_id)
            JOIN endpoint_versions v ON v.name = j.endpoint
              AND v.version = coalesce(x.endpoint_version, l.endpoint_version, j.endpoint_version)
            """;

    private static final String SELECT = COLUMNS + "FROM (SELECT $1::uuid AS id) AS wanted\n" + OF_WANTED;

    /** Returns null when no execution has that id. */
    public Uni<@Nullable Execution> find(UUID id) {
        return database.run(SELECT, Tuple.of(id)).map(rows -> Columns.first(rows, ExecutionStore::read));
    }

    /**
     * A filter of executions; null for any.
     *
     * @param runFrom with a run time at this moment or later
     * @param runBefore with a run time before this moment
     */
    public record Filter(
            @Nullable ExecutionStatus status,
            @Nullable Instant runFrom,
            @Nullable Instant runBefore) {
        /** All executions. */
        public static final Filter NONE = new Filter(null, null, null);
    }

    // The execution of a one-shot job has the job's id; those of a schedule are found by the partial indexes. Each
    // branch has all conditions, so that no more rows are read than a page takes.
    private static final String OF_JOB = COLUMNS + """
            FROM (
                SELECT $1::uuid AS id
                UNION ALL (SELECT l.execution_id FROM exec_live l
                  WHERE l.job_id = $1::uuid AND l.execution_id <> l.job_id
                    AND ($2::uuid IS NULL OR l.execution_id < $2::uuid)
                    AND ($4::text IS NULL OR $4::text =
            """ + LIVE_STATUS + """
                    )
                    AND ($5::timestamptz IS NULL OR l.run_at >= $5::timestamptz)
                    AND ($6::timestamptz IS NULL OR l.run_at < $6::timestamptz)
                  ORDER BY l.execution_id DESC LIMIT $3::bigint)
                UNION ALL (SELECT x.execution_id FROM executions x
                  WHERE x.job_id = $1::uuid AND x.execution_id <> x.job_id
                    AND ($2::uuid IS NULL OR x.execution_id < $2::uuid)
                    AND ($4::text IS NULL OR x.status = $4::text)
                    AND ($5::timestamptz IS NULL OR x.run_at >= $5::timestamptz)
                    AND ($6::timestamptz IS NULL OR x.run_at < $6::timestamptz)
                  ORDER BY x.execution_id DESC LIMIT $3::bigint)
            ) AS wanted
            """ + OF_WANTED + """
            WHERE ($2::uuid IS NULL OR wanted.id < $2::uuid)
              AND ($4::text IS NULL OR $4::text = coalesce(x.status,
            """ + LIVE_STATUS + """
              ))
              AND ($5::timestamptz IS NULL OR coalesce(x.run_at, l.run_at) >= $5::timestamptz)
              AND ($6::timestamptz IS NULL OR coalesce(x.run_at, l.run_at) < $6::timestamptz)
            ORDER BY wanted.id DESC
            LIMIT $3::bigint
            """;

    /** The executions of a job, newest first; {@code after} is the last execution of the page before. */
    public Uni<Page<Execution, UUID>> ofJob(UUID jobId, Filter filter, int limit, @Nullable UUID after) {
        var status = filter.status();
        var parameters = Tuple.of(
                jobId,
                after,
                limit + 1L,
                status == null ? null : status.name(),
                utc(filter.runFrom()),
                utc(filter.runBefore()));
        return database.run(OF_JOB, parameters)
                .map(rows -> Page.of(Columns.list(rows, ExecutionStore::read), limit, Execution::id));
    }

    // The last attempt is on the execution's own row, unless it was lost and has a row like those before it.
    private static final String ATTEMPTS = """
            (SELECT a.attempt_number, a.status, a.worker_id, a.output::text AS output,
                   a.error::text AS error, a.started_at, a.completed_at
            FROM attempts a
            WHERE a.execution_id = $1::uuid AND a.attempt_number >= $2::int
            ORDER BY a.attempt_number LIMIT $3::bigint)
            UNION ALL
            SELECT x.attempt_count, x.status, x.worker_id, x.output::text, x.error::text,
                   x.started_at, x.completed_at
            FROM executions x
            WHERE x.execution_id = $1::uuid AND x.attempt_count > 0 AND x.attempt_count >= $2::int AND NOT EXISTS (
              SELECT 1 FROM attempts a WHERE a.execution_id = x.execution_id AND a.attempt_number = x.attempt_count)
            UNION ALL
            SELECT l.attempt, CASE WHEN l.deferred THEN 'DEFERRED' ELSE 'RUNNING' END, l.worker_id,
                   NULL::text, NULL::text, l.started_at, NULL::timestamptz
            FROM exec_live l
            WHERE l.execution_id = $1::uuid AND (l.lease_token IS NOT NULL OR l.deferred) AND l.attempt >= $2::int
            ORDER BY attempt_number
            LIMIT $3::bigint
            """;

    /** At most {@code limit} attempts of an execution from number {@code from} on, the running one included. */
    public Uni<List<Attempt>> attempts(UUID executionId, int from, int limit) {
        return database.run(ATTEMPTS, Tuple.of(executionId, from, (long) limit))
                .map(rows -> Columns.list(rows, ExecutionStore::readAttempt));
    }

    /** One line of an execution's log. */
    public record LogLine(int attempt, String level, String message, Instant at) {}

    private static final String LOGS = """
            SELECT attempt_number, level, message, logged_at
            FROM execution_logs
            WHERE execution_id = $1::uuid AND attempt_number >= $2::int
            ORDER BY attempt_number, logged_at, log_id
            LIMIT $3::bigint
            """;

    /**
     * At most {@code limit} lines that were written of an execution, from an attempt on, first to last: what its record
     * and those of its attempts do not say.
     */
    public Uni<List<LogLine>> logs(UUID executionId, int fromAttempt, int limit) {
        return database.run(LOGS, Tuple.of(executionId, fromAttempt, (long) limit))
                .map(rows -> Columns.list(rows, ExecutionStore::readLogLine));
    }

    private static LogLine readLogLine(Row row) {
        return new LogLine(
                row.getInteger("attempt_number"),
                row.getString("level"),
                row.getString("message"),
                instant(row, "logged_at"));
    }

    /** The execution in a row that has the columns of {@link #STATE}, null when it has none. */
    public static @Nullable Execution readOrNull(Row row) {
        return row.getUUID("execution_id") == null ? null : read(row, null, null, null);
    }

    /** The execution in a row that has {@link #COLUMNS}. */
    static Execution read(Row row) {
        return read(row, row.getUUID("retried_as"), DeferralColumns.deferral(row), DeferralColumns.progress(row));
    }

    private static Execution read(
            Row row, @Nullable UUID retriedAs, @Nullable Deferral deferral, @Nullable Progress progress) {
        var startedAt = instantOrNull(row, "started_at");
        var completedAt = instantOrNull(row, "completed_at");
        return new Execution(
                row.getUUID("execution_id"),
                row.getUUID("job_id"),
                row.getString("endpoint"),
                row.getInteger("run_endpoint_version"),
                EndpointType.valueOf(row.getString("endpoint_type")),
                ExecutionStatus.valueOf(row.getString("status")),
                row.getInteger("attempt_count"),
                RetryPolicy.of(json(row, "retry_policy")).maxAttempts(),
                row.getInteger("config_version"),
                jsonOrNull(row, "output"),
                jsonOrNull(row, "error"),
                instant(row, "run_at"),
                instantOrNull(row, "next_attempt_at"),
                startedAt,
                completedAt,
                between(startedAt, completedAt),
                instant(row, "created_at"),
                retriedAs,
                deferral,
                progress);
    }

    private static Attempt readAttempt(Row row) {
        var startedAt = instant(row, "started_at");
        var completedAt = instantOrNull(row, "completed_at");
        return new Attempt(
                row.getInteger("attempt_number"),
                Attempt.Status.valueOf(row.getString("status")),
                startedAt,
                completedAt,
                between(startedAt, completedAt),
                jsonOrNull(row, "output"),
                jsonOrNull(row, "error"),
                row.getUUID("worker_id"));
    }
}
