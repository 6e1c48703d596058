package io.taskexec.store.workflow;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.jsonOrNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Conditions;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.LookLimits;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads runs and their jobs. */
@Singleton
public final class RunStore {
    private final Database database;

    public RunStore(Database database) {
        this.database = database;
    }

    private static final String COLUMNS = """
            SELECT r.run_id, r.job_id, r.name, r.retry_of, r.input::text AS input, r.started_at, r.cancelling_at,
              r.forced
            FROM workflow_runs r
            """;

    private static final String SELECT = COLUMNS + "WHERE r.run_id = $1::uuid";

    /** Returns null for a run that has not been noted yet, as before its start. */
    public Uni<@Nullable WorkflowRun> find(UUID run) {
        return database.run(SELECT, Tuple.of(run)).map(rows -> Columns.first(rows, WorkflowRun::read));
    }

    // One whose job retention has removed is left out.
    private static final String NODES = """
            SELECT n.name, n.job_id, coalesce(x.status, %s) AS status,
              coalesce(x.attempt_count, l.attempt, 0) AS attempt_count,
              CASE WHEN x.execution_id IS NULL THEN l.started_at ELSE x.started_at END AS started_at, x.completed_at,
              x.error::text AS error
            FROM workflow_nodes n
            JOIN jobs j ON j.job_id = n.job_id
            LEFT JOIN exec_live l ON l.execution_id = n.job_id
            LEFT JOIN executions x ON x.execution_id = n.job_id
            WHERE n.run_id = $1::uuid
            ORDER BY n.name
            """.formatted(ExecutionStore.liveStatus("l"));

    /** The jobs of a run that has started, in the order of their names. */
    public Uni<List<WorkflowNode>> nodes(UUID run) {
        return database.run(NODES, Tuple.of(run)).map(rows -> Columns.list(rows, WorkflowNode::read));
    }

    private static final String NOTE = """
            INSERT INTO workflow_runs (run_id, job_id, name) VALUES ($1::uuid, $2::uuid, $3::text)
            ON CONFLICT (run_id) DO NOTHING
            """;

    /** Notes a run before its start, so that it is listed. */
    public Uni<Void> note(UUID run, UUID jobId, String name) {
        return database.run(NOTE, Tuple.of(run, jobId, name)).replaceWithVoid();
    }

    /**
     * A run in a list.
     *
     * @param status that of its execution, but PENDING before its start and CANCELLING while it is asked to end
     */
    public record Listed(
            WorkflowRun run,
            String status,
            Instant createdAt,
            @Nullable Instant completedAt) {}

    private static final String LISTED = """
            SELECT * FROM (
              SELECT r.run_id, r.job_id, r.name, r.retry_of, NULL::text AS input, r.started_at, r.cancelling_at,
                r.forced,
                coalesce(x.status, CASE WHEN r.cancelling_at IS NOT NULL THEN 'CANCELLING'
                  WHEN r.started_at IS NOT NULL THEN 'RUNNING' ELSE 'PENDING' END) AS status,
                coalesce(x.created_at, l.created_at, j.created_at) AS created_at, x.completed_at
              FROM workflow_runs r
              JOIN LATERAL (SELECT o.created_at FROM jobs o WHERE o.job_id = r.job_id OFFSET 0) AS j ON true
              LEFT JOIN exec_live l ON l.execution_id = r.run_id
              LEFT JOIN LATERAL (
                SELECT o.* FROM executions o WHERE o.execution_id = r.run_id OFFSET 0) AS x ON true
            ) AS e
            """;

    /**
     * The runs that have started or were noted, newest first.
     *
     * @param name null for any
     * @param status null for any
     * @param after the last one of the page before, or the last one that was looked at for it
     */
    public Uni<Page<Listed, UUID>> list(
            @Nullable String name, @Nullable String status, int limit, @Nullable UUID after) {
        if (status == null) {
            return list(name, null, limit, after, null);
        }
        var conditions = new Conditions().and("r.run_id < ?::uuid", after).and("r.name = ?::text", name);
        var sql = "SELECT r.run_id FROM workflow_runs r\n" + conditions.where()
                + "ORDER BY r.run_id DESC LIMIT 1 OFFSET " + conditions.next() + "::bigint";
        return database.run(sql, conditions.parameters(LookLimits.LOOKUPS - 1L))
                .map(rows -> Columns.first(rows, row -> row.getUUID("run_id")))
                .chain(last -> list(name, status, limit, after, last));
    }

    private Uni<Page<Listed, UUID>> list(
            @Nullable String name, @Nullable String status, int limit, @Nullable UUID after, @Nullable UUID lookedAt) {
        var conditions = new Conditions()
                .and("e.run_id < ?::uuid", after)
                .and("e.run_id >= ?::uuid", lookedAt)
                .and("e.name = ?::text", name)
                .and("e.status = ?::text", status);
        var sql = LISTED + conditions.where() + "ORDER BY e.run_id DESC LIMIT " + conditions.next() + "::bigint";
        return database.run(sql, conditions.parameters(limit + 1L))
                .map(rows -> Page.of(
                        Columns.list(
                                rows,
                                row -> new Listed(
                                        WorkflowRun.read(row),
                                        row.getString("status"),
                                        instant(row, "created_at"),
                                        instantOrNull(row, "completed_at"))),
                        limit,
                        listed -> listed.run().id(),
                        lookedAt));
    }

    private static final String INPUT = """
            SELECT coalesce(r.input, j.input)::text AS input
            FROM workflow_runs r JOIN jobs j ON j.job_id = r.job_id
            WHERE r.run_id = $1::uuid
            """;

    /** The input of a run; null when it has none. */
    public Uni<@Nullable JsonNode> input(UUID run) {
        return database.run(INPUT, Tuple.of(run)).map(rows -> Columns.first(rows, row -> jsonOrNull(row, "input")));
    }

    private static final String DEADLINE = "SELECT deadline FROM exec_live WHERE execution_id = $1::uuid";

    /** The deadline of a run that has not started; null for none. */
    public Uni<@Nullable Instant> deadline(UUID run) {
        return database.run(DEADLINE, Tuple.of(run))
                .map(rows -> Columns.first(rows, row -> instantOrNull(row, "deadline")));
    }

    private static final String OUTPUTS = """
            SELECT x.output::text AS output
            FROM workflow_nodes n JOIN executions x ON x.execution_id = n.job_id
            WHERE n.run_id = $1::uuid AND x.status = 'SUCCESS'
            ORDER BY x.completed_at, x.execution_id
            """;

    /** The outputs of the jobs that have succeeded, in the order in which they did. */
    public Uni<List<JsonNode>> outputs(UUID run) {
        return database.run(OUTPUTS, Tuple.of(run)).map(rows -> Columns.list(rows, row -> Columns.json(row, "output")));
    }
}
