package io.taskexec.store.workflow;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.dependency.TriggerRule;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.CancelStore;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Cancels the jobs of runs: of those that were asked to end, of those that fail fast, and of those whose execution was
 * ended otherwise.
 */
@Singleton
public final class RunCancellation {
    private static final Logger LOG = Logger.getLogger(RunCancellation.class);

    /** Jobs of one transaction, and runs of one sweep. */
    private static final int BATCH = 500;

    private final Database database;
    private final CancelStore cancellations;
    private final CancelSignal signal;
    private final FlowReleases flowReleases;
    private final DependencyReleases dependencyReleases;
    private final RunEnd ends;

    public RunCancellation(
            Database database,
            CancelStore cancellations,
            CancelSignal signal,
            FlowReleases flowReleases,
            DependencyReleases dependencyReleases,
            RunEnd ends) {
        this.database = database;
        this.cancellations = cancellations;
        this.signal = signal;
        this.flowReleases = flowReleases;
        this.dependencyReleases = dependencyReleases;
        this.ends = ends;
    }

    /** The jobs of a run that are cancelled. */
    public enum Extent {
        /**
         * Those that wait, for a retry or a callback too, but for those with the trigger rule {@code always} and those
         * that a person has decided about.
         */
        POLITE,
        /** All that wait, but for those that a person has decided about. */
        WAITING,
        /** All: the calls of those that run are aborted. */
        ALL
    }

    // A run that has ended is in no row. One that has not begun may begin at the same time: then it finds the note.
    private static final String ASK = """
            INSERT INTO workflow_runs (run_id, job_id, name, cancelling_at, forced)
            SELECT l.execution_id, l.job_id, coalesce(j.options -> 'workflow' ->> 'name', $2::text), now(), $3::boolean
            FROM exec_live l JOIN jobs j ON j.job_id = l.job_id
            WHERE l.execution_id = $1::uuid
            ON CONFLICT (run_id) DO UPDATE
            SET cancelling_at = coalesce(workflow_runs.cancelling_at, now()),
                forced = workflow_runs.forced OR excluded.forced
            WHERE NOT workflow_runs.ended
            RETURNING run_id, job_id, name, retry_of, input::text AS input, started_at, cancelling_at, forced
            """;

    /**
     * Asks a run to end, and cancels its jobs; returns false when it has ended.
     *
     * @param force also cancels what runs, and what would run whatever happens
     */
    public Uni<Boolean> cancel(UUID run, String name, boolean force) {
        return database.run(ASK, Tuple.of(run, name, force)).chain(rows -> {
            if (rows.size() == 0) {
                return Uni.createFrom().item(false);
            }
            var asked = WorkflowRun.read(rows.iterator().next());
            return goOn(asked).replaceWith(true);
        });
    }

    private Uni<Void> goOn(WorkflowRun run) {
        return run.startedAt() == null ? cancelUnstarted(run) : cancelJobs(run.id(), extent(run.forced()));
    }

    private static Extent extent(boolean forced) {
        return forced ? Extent.ALL : Extent.POLITE;
    }

    /** One that is just being started finds the note and cancels its jobs itself, or has done so before we could. */
    private Uni<Void> cancelUnstarted(WorkflowRun run) {
        return cancellations
                .cancel(run.id(), false)
                .chain(done -> done ? ends.close(run, "CANCELLED") : cancelJobs(run.id(), extent(run.forced())));
    }

    private static final String IS_FORCED = "SELECT forced FROM workflow_runs WHERE run_id = $1::uuid";

    /** Cancels the jobs of a run that was asked to end before it had any. */
    public Uni<Void> cancelNew(UUID run) {
        return database.run(IS_FORCED, Tuple.of(run))
                .map(rows -> rows.size() > 0 && rows.iterator().next().getBoolean("forced"))
                .chain(forced -> cancelJobs(run, extent(forced)));
    }

    // What is locked is being ended, or begins: the sweep comes back to it. A run within the run has jobs of its own.
    // What a person has decided about ends with the decision. That is looked at once more when the row is locked.
    private static final String PICK = """
            SELECT l.execution_id FROM exec_live l
            WHERE l.execution_id = ANY(ARRAY(SELECT n.job_id FROM workflow_nodes n WHERE n.run_id = $1::uuid))
              AND coalesce(l.trigger_rule, 0) <> %d
              AND (SELECT w.run_id FROM workflow_runs w
                   WHERE w.run_id = l.execution_id AND w.started_at IS NOT NULL) IS NULL
              AND ($2::boolean OR coalesce((SELECT j.trigger_rule FROM jobs j WHERE j.job_id = l.job_id), '') <> '%s')
              AND ($3::boolean OR l.lease_token IS NULL OR l.visible_at <= now() OR l.deferred)
              AND ($3::boolean OR l.attempt = 0 OR (
                SELECT a.decision FROM approvals a
                WHERE a.execution_id = l.execution_id AND a.attempt >= l.callback_from) IS NULL)
            LIMIT $4::bigint
            FOR UPDATE SKIP LOCKED
            """.formatted(DependencyStatement.RUN, TriggerRule.ALWAYS.word());

    private static final String ASK_INNER = """
            UPDATE workflow_runs SET cancelling_at = now(), forced = forced OR $3::boolean
            WHERE run_id = ANY(ARRAY(SELECT n.job_id FROM workflow_nodes n WHERE n.run_id = $1::uuid))
              AND (cancelling_at IS NULL OR ($3::boolean AND NOT forced)) AND started_at IS NOT NULL AND NOT ended
              AND ($2::boolean
                OR coalesce((SELECT j.trigger_rule FROM jobs j WHERE j.job_id = workflow_runs.run_id), '') <> '%s')
            RETURNING run_id
            """.formatted(TriggerRule.ALWAYS.word());

    /** Cancels jobs of a run in batches. */
    public Uni<Void> cancelJobs(UUID run, Extent extent) {
        return database.withTransaction(transaction -> cancelBatch(transaction, run, extent))
                .invoke(batch -> {
                    database.metrics().cancelled(batch.cancelled().count());
                    batch.ids().forEach(id -> signal.raise(id));
                    flowReleases.request(batch.cancelled().flowIds());
                    dependencyReleases.request(batch.cancelled().parents());
                })
                .chain(batch -> batch.ids().size() < BATCH ? cancelInner(run, extent) : cancelJobs(run, extent));
    }

    private record Batch(List<UUID> ids, CancelStore.Cancelled cancelled) {}

    private Uni<Batch> cancelBatch(SqlConnection transaction, UUID run, Extent extent) {
        var parameters = Tuple.of(run, extent != Extent.POLITE, extent == Extent.ALL, (long) BATCH);
        return Database.on(transaction, PICK, parameters)
                .map(rows -> Columns.list(rows, row -> row.getUUID("execution_id")))
                .chain(ids -> CancelStore.cancelWithin(database, transaction, ids, extent == Extent.ALL)
                        .map(cancelled -> new Batch(ids, cancelled)));
    }

    private Uni<Void> cancelInner(UUID run, Extent extent) {
        return database.run(ASK_INNER, Tuple.of(run, extent != Extent.POLITE, extent == Extent.ALL))
                .map(rows -> Columns.list(rows, row -> row.getUUID("run_id")))
                .chain(inner -> each(inner, id -> cancelJobs(id, extent)));
    }

    private static <T> Uni<Void> each(List<T> all, Function<T, Uni<Void>> work) {
        return Multi.createFrom()
                .iterable(all)
                .onItem()
                .transformToUniAndConcatenate(one -> work.apply(one))
                .collect()
                .asList()
                .replaceWithVoid();
    }

    // Scalar subqueries keep the planner on primary keys, however few rows it believes in. What is looked at is
    // limited,
    // not what is found.
    private static final String LATE = """
            SELECT r.*, (SELECT x.status FROM executions x WHERE x.execution_id = r.run_id) AS status,
              (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = r.run_id) IS NOT NULL AS live,
              (SELECT l.execution_id FROM exec_live l
               WHERE l.execution_id = ANY(ARRAY(SELECT n.job_id FROM workflow_nodes n WHERE n.run_id = r.run_id))
               LIMIT 1) IS NOT NULL AS working,
              r.fail_fast AND (SELECT x.execution_id FROM executions x
                WHERE x.execution_id = ANY(ARRAY(SELECT n.job_id FROM workflow_nodes n WHERE n.run_id = r.run_id))
                  AND x.status IN ('FAILED', 'CANCELLED', 'EXPIRED')
                LIMIT 1) IS NOT NULL AS failing
            FROM (
              SELECT w.run_id, w.job_id, w.name, w.retry_of, NULL::text AS input, w.started_at, w.cancelling_at,
                w.forced, w.fail_fast
              FROM workflow_runs w WHERE NOT w.ended AND w.run_id > $1::uuid
              ORDER BY w.run_id LIMIT $2::bigint
            ) AS r
            ORDER BY r.run_id
            """;

    /** Goes on with what a process has not finished, and with runs whose execution is gone. */
    public Uni<Void> sweep() {
        return sweepAfter(new UUID(0, 0));
    }

    private Uni<Void> sweepAfter(UUID last) {
        return database.run(LATE, Tuple.of(last, (long) BATCH))
                .map(rows -> Columns.list(rows, Late::read))
                .chain(open -> {
                    var swept = each(open.stream().filter(Late::isLate).toList(), this::sweepOrWarn);
                    return open.size() < BATCH
                            ? swept
                            : swept.chain(() -> sweepAfter(open.getLast().run().id()));
                });
    }

    /** A run that has not ended, as far as its note says. */
    private record Late(WorkflowRun run, @Nullable String status, boolean live, boolean working, boolean failing) {
        static Late read(Row row) {
            return new Late(
                    WorkflowRun.read(row),
                    row.getString("status"),
                    row.getBoolean("live"),
                    row.getBoolean("working"),
                    row.getBoolean("failing"));
        }

        boolean isLate() {
            return !live || failing || run.cancellingAt() != null;
        }
    }

    /** One run does not keep the others from their turn. */
    private Uni<Void> sweepOrWarn(Late late) {
        return sweep(late)
                .onFailure()
                .invoke(failure -> LOG.warnf(
                        "jobs of workflow %s are cancelled later: %s",
                        late.run().id(), failure))
                .onFailure()
                .recoverWithNull();
    }

    private Uni<Void> sweep(Late late) {
        var run = late.run();
        if (late.live()) {
            return goOn(run);
        }
        return late.working()
                ? cancelJobs(run.id(), Extent.WAITING)
                : ends.close(run, late.status() == null ? "CANCELLED" : late.status());
    }
}
