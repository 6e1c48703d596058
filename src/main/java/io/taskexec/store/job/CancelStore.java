package io.taskexec.store.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.dependency.EndedParents;
import io.taskexec.store.flow.FlowPlaces;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.KeyBatcher;
import io.taskexec.store.sql.LockTimeout;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Cancels executions, and retires schedules. */
@Singleton
public final class CancelStore {
    private final Database database;
    private final CancelSignal signal;
    private final FlowReleases flowReleases;
    private final DependencyReleases dependencyReleases;
    private final String cancel;
    private final KeyBatcher<Cancellation, RowSet<Row>> cancellations = new KeyBatcher<>(
            "jobs to be cancelled",
            KeyBatcher.SINGLE,
            Cancellation::executionId,
            (one, timeout) -> one.getFirst().run().apply(timeout).map(List::of));

    private record Cancellation(UUID executionId, Function<LockTimeout, Uni<RowSet<Row>>> run) {}

    public CancelStore(
            Database database, CancelSignal signal, FlowReleases flowReleases, DependencyReleases dependencyReleases) {
        this.database = database;
        this.flowReleases = flowReleases;
        this.dependencyReleases = dependencyReleases;
        this.signal = signal;
        this.cancel = database.form(CANCEL);
    }

    // It does not wait for an application that cancels the same job, but for places of flow keys as long as it takes.
    // A lease that has run out belongs to no worker, so what it covers may be cancelled without force.
    //
    // A person who decides locks the execution first as well: who comes second finds the decision, or no execution. The
    // question is locked too, since it is read as it is then, and not as it was before the wait. One of an attempt that
    // has failed is over, whatever was decided.
    public static final EventedStatement CANCEL = removal(
            """
            WITH waiting AS MATERIALIZED (
              SELECT live.execution_id, live.attempt, live.callback_from
              FROM exec_live live
              WHERE live.execution_id = ANY($1::uuid[])
                AND ($2::boolean OR live.lease_token IS NULL OR live.visible_at <= now() OR live.deferred)
                AND coalesce(live.trigger_rule, 0) <> 8
                AND %s
              ORDER BY live.execution_id
              FOR UPDATE
            ), asked AS MATERIALIZED (
              SELECT question.execution_id, question.attempt, question.decision
              FROM approvals question
              WHERE question.execution_id
                = ANY(ARRAY(SELECT execution_id FROM waiting WHERE attempt > 0 AND NOT $2::boolean))
              FOR SHARE
            ),
            """.formatted(LockTimeout.OF_MANY.condition()),
            """
            live.execution_id = ANY(ARRAY(
                  SELECT execution_id FROM waiting
                  WHERE NOT EXISTS (
                    SELECT 1 FROM asked
                    WHERE asked.execution_id = waiting.execution_id AND asked.attempt >= waiting.callback_from
                      AND asked.decision IS NOT NULL)))""",
            "CANCELLED",
            "cancelled",
            ", " + LockTimeout.NONE + " AS may_wait");

    /** Ends executions of which no attempt has begun, since other jobs take their keys. */
    public static final EventedStatement SUPERSEDE =
            removal("WITH ", """
            live.execution_id = ANY($1::uuid[])
                AND live.attempt = 0 AND live.lease_token IS NULL
                AND NOT live.deferred""", "SUPERSEDED", "superseded: another job took its key", "");

    // For each key a release follows: one that came at the same time has passed over what is removed here. The run of a
    // workflow that waits for its jobs ends with these.
    private static EventedStatement removal(
            String before, String condition, String status, String message, String returned) {
        return EventedStatement.of(
                before.stripTrailing()
                        + """
             removed AS (
              DELETE FROM exec_live live
              WHERE %1$s
                AND coalesce(live.trigger_rule, 0) <> 8
              RETURNING live.execution_id, live.job_id, live.region, live.lane, live.attempt, live.config_version,
                        live.endpoint_version, live.worker_id, live.run_at, live.started_at, live.created_at,
                        live.flow_id, live.flow_state, live.has_children%4$s
            ), logs AS (
              INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
              SELECT execution_id, gen_random_uuid(), region, attempt, 'INFO', '%3$s', now() FROM removed
            ), history AS (
              INSERT INTO executions (execution_id, job_id, region, lane, status, attempt_count, config_version,
                endpoint_version, worker_id, run_at, started_at, completed_at, created_at)
              SELECT execution_id, job_id, region, lane, '%2$s', attempt, config_version,
                endpoint_version, worker_id, run_at, started_at, now(), created_at
              FROM removed
            )
            """.formatted(condition, status, message, returned).stripTrailing()
                        + FlowPlaces.ofRemoved("removed").stripTrailing()
                        + EndedParents.of("removed", "'%s'".formatted(status)),
                """
            (execution_id, job_id, kind, attempt)
              SELECT execution_id, job_id, '%s', attempt FROM removed
            """.formatted(status),
                """
            SELECT execution_id, (SELECT array_agg(DISTINCT flow_id) FROM removed WHERE flow_id IS NOT NULL)
              AS waiting_flow_ids%s
            FROM removed
            """.formatted(EndedParents.COLUMN));
    }

    /**
     * Cancels an execution that waits or, with {@code force}, one that runs: its worker aborts the outgoing call.
     * Returns false when there is nothing left to cancel, it runs, or a person has decided about it.
     */
    public Uni<Boolean> cancel(UUID executionId, boolean force) {
        return Uni.createFrom().deferred(() -> {
            var lostBefore = database.answerLostAt();
            return cancel(
                            executionId,
                            timeout -> database.run(timeout.in(cancel), Tuple.of(new UUID[] {executionId}, force)))
                    // A cancellation whose answer was lost is run again, and finds nothing then.
                    .chain(cancelled -> cancelled || Objects.equals(lostBefore, database.answerLostAt())
                            ? Uni.createFrom().item(cancelled)
                            : database.run(IS_CANCELLED, Tuple.of(executionId)).map(rows -> rows.rowCount() > 0))
                    .invoke(cancelled -> follow(executionId, cancelled));
        });
    }

    private static final String IS_CANCELLED =
            "SELECT execution_id FROM executions WHERE execution_id = $1::uuid AND status = 'CANCELLED'";

    // Before the execution, as all lock keys before executions.
    private static final String LOCK_KEY = """
            SELECT job_id FROM idempotency_keys
            WHERE endpoint = $1::text AND idempotency_key = $2::text AND job_id = $3::uuid AND %s
            FOR UPDATE
            """.formatted(LockTimeout.OF_MANY.condition());

    // Of a schedule any version may have been created with the key.
    private static final String FREE_KEY = """
            DELETE FROM idempotency_keys k
            WHERE k.endpoint = $1::text AND k.idempotency_key = $2::text
              AND (k.job_id = $3::uuid OR k.job_id IN (
                SELECT v.job_id FROM schedules s JOIN schedules v ON v.root_id = s.root_id WHERE s.job_id = $3::uuid))
              AND %s
            """.formatted(LockTimeout.OF_ONE.condition());

    /**
     * Cancels the execution of a one-shot job and frees its key, or does neither: also when the key is that of another
     * job by now.
     */
    public Uni<Boolean> cancel(String endpoint, String key, UUID jobId, boolean force) {
        var parameters = Tuple.of(endpoint, key, jobId);
        return cancel(
                        jobId,
                        timeout -> database.withTransaction(
                                transaction -> timeout.set(transaction)
                                        .chain(() -> Database.on(transaction, LOCK_KEY, parameters))
                                        .chain(keys -> keys.size() == 0
                                                ? Uni.createFrom().item(keys)
                                                : Database.on(transaction, cancel, Tuple.of(new UUID[] {jobId}, force))
                                                        .call(rows -> rows.size() == 0
                                                                ? Uni.createFrom()
                                                                        .voidItem()
                                                                : Database.on(transaction, FREE_KEY, parameters))),
                                (transaction, rows) -> rows.size() == 0
                                        ? Uni.createFrom().item(false)
                                        : Database.on(transaction, IS_CANCELLED, Tuple.of(jobId))
                                                .map(found -> found.rowCount() > 0)))
                .invoke(cancelled -> follow(jobId, cancelled));
    }

    /** Frees the key of a job for another one. */
    public Uni<Void> free(String endpoint, String key, UUID jobId) {
        return database.run(FREE_KEY, Tuple.of(endpoint, key, jobId)).replaceWithVoid();
    }

    private Uni<Boolean> cancel(UUID executionId, Function<LockTimeout, Uni<RowSet<Row>>> run) {
        return cancellations
                .submit(new Cancellation(executionId, run))
                .invoke(flowReleases::after)
                .invoke(dependencyReleases::after)
                .map(rows -> rows.rowCount() > 0);
    }

    private void follow(UUID executionId, boolean cancelled) {
        if (cancelled) {
            database.metrics().cancelled(1);
            signal.raise(executionId);
        }
    }

    /**
     * Executions that were cancelled, and the flow keys whose lines they were in.
     *
     * @param parents those that others wait for
     */
    public record Cancelled(int count, List<Long> flowIds, List<UUID> parents) {
        Cancelled plus(int runs) {
            return new Cancelled(count + runs, flowIds, parents);
        }
    }

    /**
     * Cancels those of many executions that wait.
     *
     * @return how many those were, and the flow keys to release when the transaction is committed
     */
    public static Uni<Cancelled> cancelWaiting(Database database, SqlConnection transaction, List<UUID> executionIds) {
        return cancelWithin(database, transaction, executionIds, false)
                .chain(cancelled -> Database.on(
                                transaction, ASK_RUNS, Tuple.tuple().addValue(executionIds.toArray(UUID[]::new)))
                        .map(asked -> cancelled.plus(asked.rowCount())));
    }

    // Those of workflows that have started end with their jobs, which a scheduler cancels.
    private static final String ASK_RUNS = """
            UPDATE workflow_runs SET cancelling_at = now()
            WHERE run_id = ANY($1::uuid[]) AND started_at IS NOT NULL AND cancelling_at IS NULL AND NOT ended
            """;

    /** The same, with {@code force} also of those that run, whose workers are to be told after the commit. */
    public static Uni<Cancelled> cancelWithin(
            Database database, SqlConnection transaction, List<UUID> executionIds, boolean force) {
        return Database.on(
                        transaction,
                        LockTimeout.OF_ONE.in(database.form(CANCEL)),
                        Tuple.of(executionIds.toArray(UUID[]::new), force))
                .map(rows -> new Cancelled(
                        rows.rowCount(),
                        rows.rowCount() == 0
                                ? List.of()
                                : FlowReleases.ids(rows.iterator().next(), "waiting_flow_ids"),
                        EndedParents.in(rows)));
    }

    // Versions that were replaced may have ticks that are late or wait. All are locked in the order in which a
    // scheduler
    // moves them on.
    private static final String LOCK_VERSIONS = """
            SELECT v.job_id FROM schedules s JOIN schedules v ON v.root_id = s.root_id
            WHERE s.job_id = $1::uuid
              AND (v.job_id = s.job_id OR v.next_run_at IS NOT NULL OR v.buffered_tick IS NOT NULL)
            ORDER BY v.job_id
            FOR UPDATE OF v
            """;

    // What is due but has not been made an execution of goes as well; what runs is left to run. It reads the ticks that
    // wait beside the rows that it changes, and so these must have been locked before.
    private static final String RETIRE = """
            WITH skipped_ticks AS (
              INSERT INTO ticks (job_id, scheduled_at, outcome, lateness_ms)
              SELECT job_id, buffered_tick, 'SKIPPED_OVERLAP', extract(epoch FROM now() - buffered_tick) * 1000
              FROM schedules WHERE root_id = $2::uuid AND buffered_tick IS NOT NULL
              ON CONFLICT (job_id, scheduled_at) DO NOTHING
            ), stopped AS (
              UPDATE schedules
              SET next_run_at = NULL, buffered_tick = NULL, ended_at = least(ended_at, next_run_at, now())
              WHERE root_id = $2::uuid
                AND (job_id = $1::uuid OR next_run_at IS NOT NULL OR buffered_tick IS NOT NULL)
            )
            UPDATE jobs SET retired_at = now() WHERE job_id = $1::uuid AND retired_at IS NULL
            """;

    /** Ends a schedule, or leaves one that has ended as it is; returns false for a version that was replaced. */
    public Uni<Boolean> retire(UUID jobId) {
        return database.withTransaction(transaction -> retire(transaction, jobId));
    }

    /** The same, and frees the key that the schedule was created with, or does neither. */
    public Uni<Boolean> retire(String endpoint, String key, UUID jobId) {
        return database.withTransaction(transaction -> retire(transaction, jobId)
                .call(done -> done
                        ? Database.on(transaction, FREE_KEY, Tuple.of(endpoint, key, jobId))
                        : Uni.createFrom().voidItem()));
    }

    private static Uni<Boolean> retire(SqlConnection transaction, UUID jobId) {
        return Database.on(transaction, LOCK_VERSIONS, Tuple.of(jobId))
                .chain(() -> ScheduleLock.take(transaction, jobId))
                .chain(state -> state != null && state.replacedById() != null
                        ? Uni.createFrom().item(false)
                        : Database.on(transaction, RETIRE, Tuple.of(jobId, state == null ? jobId : state.rootId()))
                                .replaceWith(true));
    }
}
