package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.ExpiryStatement;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Pauses and resumes schedules, and fires them out of turn. All but the last return false for a schedule that is not in
 * force.
 */
@Singleton
public final class ScheduleControlStore {
    private final Database database;
    private final DueSignal dueSignal;

    public ScheduleControlStore(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
    }

    private static final String END_PAUSE = """
            UPDATE pauses SET until = greatest($2::timestamptz, paused_at)
            WHERE root_id = $1::uuid AND (until IS NULL OR until > $2::timestamptz)
            """;

    private static final String PAUSE = """
            INSERT INTO pauses (root_id, paused_at, until, reason)
            VALUES ($1::uuid, $2::timestamptz, $3::timestamptz, $4::text)
            ON CONFLICT (root_id, paused_at) DO UPDATE SET until = excluded.until, reason = excluded.reason
            """;

    /** Pauses a schedule from now on; a pause that is in force is replaced. */
    public Uni<Boolean> pause(UUID jobId, @Nullable Instant until, @Nullable String reason) {
        return locked(
                jobId,
                (transaction, root, now) -> Database.on(transaction, END_PAUSE, Tuple.of(root, utc(now)))
                        .chain(() -> Database.on(transaction, PAUSE, Tuple.of(root, utc(now), utc(until), reason)))
                        .replaceWithVoid());
    }

    /** Ends the pause of a schedule, if there is one: ticks from now on fire. */
    public Uni<Boolean> resume(UUID jobId) {
        return locked(
                jobId,
                (transaction, root, now) -> Database.on(transaction, END_PAUSE, Tuple.of(root, utc(now)))
                        .replaceWithVoid());
    }

    private interface Work {
        /** @param now the time since which no tick has been decided about */
        Uni<Void> on(SqlConnection transaction, UUID rootId, Instant now);
    }

    private Uni<Boolean> locked(UUID jobId, Work work) {
        return database.withTransaction(transaction -> ScheduleLock.take(transaction, jobId)
                .chain(state -> state == null || state.retired()
                        ? Uni.createFrom().item(false)
                        : work.on(transaction, state.rootId(), state.now()).replaceWith(true)));
    }

    // The lock keeps the job in force until this is committed, and with it the endpoint that it is for. It may be run
    // again after its answer was lost. The execution may have ended by then: it is not made again.
    public static final EventedStatement FIRE =
            EventedStatement.creating("", """
            INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at,
              flow_id, flow_line, expires_at)
            SELECT $2::uuid, j.job_id, j.region, j.lane, now(), now(), now(),
              j.flow_id,
              CASE WHEN j.flow_id IS NOT NULL THEN j.lane & 7 END,
              now() + %s
            FROM jobs j JOIN schedules s ON s.job_id = j.job_id
            WHERE j.job_id = $1::uuid AND j.retired_at IS NULL
              AND (SELECT x.execution_id FROM executions x WHERE x.execution_id = $2::uuid) IS NULL
            FOR SHARE OF j
            ON CONFLICT (execution_id) DO NOTHING
            """.formatted(ExpiryStatement.ttl("j")), "");

    private static final String IS_FIRED = """
            SELECT execution_id FROM exec_live WHERE execution_id = $1::uuid
            UNION ALL
            SELECT execution_id FROM executions WHERE execution_id = $1::uuid
            """;

    /** Makes an execution of a schedule, now and beside its ticks. */
    public Uni<Boolean> fire(UUID jobId, UUID executionId) {
        return database.run(database.form(FIRE), Tuple.of(jobId, executionId))
                .invoke(dueSignal::raise)
                .chain(rows -> rows.rowCount() > 0
                        ? Uni.createFrom().item(true)
                        : database.run(IS_FIRED, Tuple.of(executionId)).map(found -> found.size() > 0));
    }
}
