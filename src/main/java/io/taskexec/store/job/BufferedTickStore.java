package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.ExpiryStatement;
import io.taskexec.store.job.TickStore.Decision;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Fires the ticks that have waited for executions of their schedule to end. */
@Singleton
public final class BufferedTickStore {
    private final Database database;
    private final DueSignal dueSignal;
    private final String release;

    public BufferedTickStore(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.release = database.form(RELEASE);
    }

    /** A tick that waits, and may fire. */
    public record Buffered(UUID jobId, Instant tick) {}

    private static final String FREE = """
            SELECT s.job_id, s.buffered_tick FROM schedules s
            WHERE s.buffered_tick IS NOT NULL AND NOT EXISTS (
              SELECT 1 FROM schedules o JOIN exec_live l ON l.job_id = o.job_id AND l.execution_id <> l.job_id
              WHERE o.root_id = s.root_id) AND NOT EXISTS (
              SELECT 1 FROM schedules o WHERE o.root_id = s.root_id AND o.buffered_tick < s.buffered_tick)
            LIMIT $1::bigint
            """;

    /** Ticks that wait for executions of their schedule that have ended, of each schedule the first one. */
    public Uni<List<Buffered>> freeBuffered(int limit) {
        return database.run(FREE, Tuple.of((long) limit))
                .map(rows ->
                        Columns.list(rows, row -> new Buffered(row.getUUID("job_id"), instant(row, "buffered_tick"))));
    }

    public static final EventedStatement RELEASE =
            EventedStatement.creating("""
            WITH waiting AS MATERIALIZED (
              SELECT tick.* FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::uuid[], $5::bigint[])
                AS tick(job_id, at, outcome, execution_id, jitter_ms)
            ), freed AS (
              UPDATE schedules s SET buffered_tick = NULL FROM waiting
              WHERE s.job_id = waiting.job_id AND s.buffered_tick = waiting.at
              RETURNING s.job_id
            ), recorded AS (
              INSERT INTO ticks (job_id, scheduled_at, outcome, execution_id, lateness_ms)
              SELECT waiting.job_id, waiting.at, waiting.outcome, waiting.execution_id,
                extract(epoch FROM now() - waiting.at) * 1000
              FROM waiting JOIN freed ON freed.job_id = waiting.job_id
              ON CONFLICT (job_id, scheduled_at) DO NOTHING
              RETURNING execution_id
            )
            """, """
            INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at,
              flow_id, flow_line, expires_at)
            SELECT waiting.execution_id, waiting.job_id, j.region, j.lane, now(), waiting.at, now(),
              j.flow_id,
              CASE WHEN j.flow_id IS NOT NULL THEN j.lane & 7 END,
              waiting.at + %s
            FROM waiting JOIN jobs j ON j.job_id = waiting.job_id
            WHERE (waiting.execution_id IN (SELECT execution_id FROM recorded)) IS TRUE
            ON CONFLICT (execution_id) DO NOTHING
            """.formatted(ExpiryStatement.ttl("j")), "");

    /** Lets ticks that have waited fire, each only once. */
    public Uni<Integer> release(List<Decision> ticks) {
        var parameters = Tuple.tuple();
        TickStore.addTicks(parameters, ticks);
        return database.run(release, parameters).map(rows -> rows.rowCount()).invoke(fired -> {
            database.metrics().fired(fired);
            if (fired > 0) {
                dueSignal.raise();
            }
        });
    }

    private static final String SET_BUFFERED_ASIDE = """
            UPDATE schedules SET buffered_tick = NULL, next_run_at = NULL, set_aside_reason = $3::text
            WHERE job_id = $1::uuid AND buffered_tick = $2::timestamptz
            """;

    /** Takes a schedule with a tick that waits and cannot fire out of the way of the others. */
    public Uni<Void> setAside(Buffered tick, String reason) {
        return database.run(SET_BUFFERED_ASIDE, Tuple.of(tick.jobId(), utc(tick.tick()), reason))
                .replaceWithVoid();
    }

    private static final String IS_BUFFERING =
            "SELECT EXISTS (SELECT 1 FROM schedules WHERE buffered_tick IS NOT NULL) AS waits";

    /** Whether any tick waits. */
    public Uni<Boolean> isBuffering() {
        return database.run(IS_BUFFERING, Tuple.tuple())
                .map(rows -> rows.iterator().next().getBoolean("waits"));
    }
}
