package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.instant;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Locks one version of a schedule, so that its state stays what it is until the transaction ends. */
final class ScheduleLock {
    private ScheduleLock() {}

    /**
     * The state of a version of a schedule.
     *
     * @param retired whether it is no longer in force
     * @param replacedById the next version, null for the newest
     * @param now the database's clock when the lock is there, and not before the last tick that was decided about
     *     while it was waited for
     */
    record State(
            UUID rootId,
            int version,
            Instant startsAt,
            boolean retired,
            @Nullable UUID replacedById,
            Instant now) {}

    // Both rows, since the state is in both: after a wait, only rows that are locked are read anew. That is also why
    // the state is returned instead of being asked for in the condition. The clock is read outside, since what is
    // selected with a lock is computed before it is waited for, and anew only of rows that have changed.
    private static final String LOCK = """
            WITH locked AS MATERIALIZED (
              SELECT s.root_id, j.version, s.starts_at, j.retired_at, j.replaced_by_id, s.last_tick_at
              FROM schedules s JOIN jobs j ON j.job_id = s.job_id
              WHERE s.job_id = $1::uuid
              FOR UPDATE
            )
            SELECT root_id, version, starts_at, retired_at, replaced_by_id,
                   greatest(clock_timestamp(), last_tick_at) AS now
            FROM locked
            """;

    /** Returns null when there is no such schedule. */
    static Uni<@Nullable State> take(SqlConnection transaction, UUID jobId) {
        return Database.on(transaction, LOCK, Tuple.of(jobId)).map(rows -> Columns.first(rows, ScheduleLock::read));
    }

    private static State read(Row row) {
        return new State(
                row.getUUID("root_id"),
                row.getInteger("version"),
                instant(row, "starts_at"),
                row.getOffsetDateTime("retired_at") != null,
                row.getUUID("replaced_by_id"),
                instant(row, "now"));
    }
}
