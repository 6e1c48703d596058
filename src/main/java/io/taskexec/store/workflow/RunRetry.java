package io.taskexec.store.workflow;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.store.execution.ReplayStore.Replay;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;

/** Repeats runs that have ended: whole, or without their jobs that have not failed. */
@Singleton
public final class RunRetry {
    private final Database database;
    private final ReplayStore replays;
    private final RegionFilter regions;
    private final DueSignal dueSignal;

    public RunRetry(Database database, ReplayStore replays, RegionFilter regions, DueSignal dueSignal) {
        this.database = database;
        this.replays = replays;
        this.regions = regions;
        this.dueSignal = dueSignal;
    }

    /** The result of a retry. */
    public enum Result {
        STARTED,
        /** The run has not ended, or none of its jobs has failed. */
        NOT_FAILED,
        /** Another retry of it has not ended. */
        RETRIED,
        /** Its definition has been deleted. */
        GONE
    }

    // Two retries of one run are one after the other. A statement of its own, so that the next one sees the other
    // retry.
    private static final String LOCK = "SELECT run_id FROM workflow_runs WHERE run_id = $1::uuid FOR UPDATE";

    private static final String STATE = """
            SELECT r.ended AND EXISTS (SELECT 1 FROM executions x
                WHERE x.execution_id = r.run_id AND x.status <> 'SUCCESS')
                AND (NOT EXISTS (SELECT 1 FROM workflow_nodes n WHERE n.run_id = r.run_id)
                  OR EXISTS (SELECT 1 FROM workflow_nodes n JOIN executions x ON x.execution_id = n.job_id
                    WHERE n.run_id = r.run_id AND x.status IN ('FAILED', 'CANCELLED', 'EXPIRED'))) AS failed,
              EXISTS (SELECT 1 FROM workflow_runs o WHERE o.retry_of = r.run_id AND NOT o.ended) AS retried,
              EXISTS (SELECT 1 FROM workflow_runs o WHERE o.run_id = $2::uuid) AS started
            FROM workflow_runs r WHERE r.run_id = $1::uuid
            """;

    // One that is repeated whole may have started before it is noted.
    private static final String NOTE = """
            INSERT INTO workflow_runs (run_id, job_id, name, retry_of)
            SELECT $2::uuid, job_id, name, $3::uuid FROM workflow_runs WHERE run_id = $1::uuid
            ON CONFLICT (run_id) DO NOTHING
            """;

    // The jobs that are kept are those of the graph that the run had.
    private static final String KEEP_VERSION = """
            UPDATE exec_live SET endpoint_version = (SELECT coalesce(x.endpoint_version, j.endpoint_version)
              FROM executions x JOIN jobs j ON j.job_id = x.job_id WHERE x.execution_id = $1::uuid)
            WHERE execution_id = $2::uuid
            """;

    /** Repeats the jobs of a run that have failed, and those that depend on them, as the run {@code retry}. */
    public Uni<Result> retry(UUID run, UUID retry) {
        return regions.number()
                .chain(region -> database.withTransaction(transaction -> Database.on(transaction, LOCK, Tuple.of(run))
                        .chain(() -> Database.on(transaction, STATE, Tuple.of(run, retry)))
                        .chain(rows -> rows.size() == 0
                                ? Uni.createFrom().item(Result.NOT_FAILED)
                                : retry(transaction, rows.iterator().next(), run, retry, region))))
                .invoke(dueSignal::raise);
    }

    private Uni<Result> retry(SqlConnection transaction, Row state, UUID run, UUID retry, int region) {
        if (state.getBoolean("started")) {
            // This is run again, since the answer to the commit was lost.
            return Uni.createFrom().item(Result.STARTED);
        }
        if (!state.getBoolean("failed")) {
            return Uni.createFrom().item(Result.NOT_FAILED);
        }
        return state.getBoolean("retried")
                ? Uni.createFrom().item(Result.RETRIED)
                : start(transaction, run, retry, region);
    }

    private Uni<Result> start(SqlConnection transaction, UUID run, UUID retry, int region) {
        return replays.replay(transaction, List.of(new Replay(run, retry)), true, region)
                .chain(count -> count == 0
                        ? Uni.createFrom().item(Result.GONE)
                        : Database.on(transaction, KEEP_VERSION, Tuple.of(run, retry))
                                .chain(() -> Database.on(transaction, NOTE, Tuple.of(run, retry, run)))
                                .replaceWith(Result.STARTED));
    }

    /** Repeats a whole run, on the current version of its definition; returns false when that cannot be. */
    public Uni<Boolean> replay(UUID run, UUID replay) {
        return replays.replay(run, replay)
                .chain(done -> done
                        ? database.run(NOTE, Tuple.of(run, replay, null)).replaceWith(true)
                        : Uni.createFrom().item(false));
    }
}
