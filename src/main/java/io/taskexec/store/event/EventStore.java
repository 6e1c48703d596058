package io.taskexec.store.event;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.jsonOrNull;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.EventsConfig;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the log of what happened to executions, which readers follow from a position on and miss nothing of.
 *
 * <p>The statements that change executions write their events to an outbox ({@link EventedStatement}). A reader of the
 * outbox itself would have to guess: a transaction that took its number early and commits late puts a row before those
 * that were read, and neither a wait nor a look back has a bound that is always long enough. So a reader first
 * moves what is visible in the outbox to the log, and there it gets its position. One moves at a time, behind the
 * lock of a row, so that positions have no gaps and become visible in their order: who has read one has read all before
 * it. What commits late gets a late position. That takes no clock and nothing that only PostgreSQL has.
 *
 * <p>Of one execution the events keep their order. A statement writes its event after it has got hold of the
 * execution's row, hence after the commit of the change before: the later event has the higher number, and where it is
 * visible, so is the earlier one. They are moved in the order of their numbers.
 */
@Singleton
public final class EventStore {
    /** Events that are moved in one transaction. */
    private static final int MOST_MOVED = 1000;

    private final Database database;
    private final boolean enabled;

    public EventStore(Database database, EventsConfig config) {
        this.database = database;
        this.enabled = config.isEnabled();
    }

    /** Whether this process writes events; others may all the same. */
    public boolean isEnabled() {
        return enabled;
    }

    /**
     * Where the log is.
     *
     * @param waiting whether there are events that have no position yet
     * @param last the last position that was assigned
     * @param removed the last position that was removed
     */
    public record Extent(boolean waiting, long last, long removed) {}

    private static final String EXTENT = """
            SELECT EXISTS (SELECT 1 FROM event_outbox) AS waiting,
                   (SELECT position FROM event_positions WHERE name = 'log') AS last,
                   (SELECT position FROM event_positions WHERE name = 'removed') AS removed
            """;

    /** Where the log is. */
    public Uni<Extent> extent() {
        return database.run(EXTENT, Tuple.tuple())
                .map(rows -> rows.iterator().next())
                .map(row -> new Extent(row.getBoolean("waiting"), row.getLong("last"), row.getLong("removed")));
    }

    // A statement of its own, so that the next one sees what was committed before the lock was given up to us.
    private static final String LOCK = "SELECT position FROM event_positions WHERE name = 'log' FOR UPDATE";

    // The endpoint is looked up here, to spare those who make the changes. A subquery, since a join may make the
    // planner read a whole index.
    static final String MOVE = """
            WITH moved AS (
              DELETE FROM event_outbox
              WHERE write_id = ANY(ARRAY(SELECT write_id FROM event_outbox ORDER BY write_id LIMIT $2::bigint))
              RETURNING *
            )
            INSERT INTO event_log (position, execution_id, job_id, endpoint, kind, attempt, error_type, next_run_at, at,
              detail)
            SELECT $1::bigint + row_number() OVER (ORDER BY moved.write_id), moved.execution_id, moved.job_id,
              (SELECT j.endpoint FROM jobs j WHERE j.job_id = moved.job_id), moved.kind, moved.attempt,
              moved.error_type, moved.next_run_at, moved.at, moved.detail
            FROM moved
            """;

    private static final String MOVED =
            "UPDATE event_positions SET position = position + $1::bigint WHERE name = 'log'";

    /** Assigns positions to the oldest events that have none; returns whether there may be more. */
    public Uni<Boolean> move() {
        return database.withTransaction(transaction -> Database.on(transaction, LOCK, Tuple.tuple())
                .chain(rows -> Database.on(
                        transaction, MOVE, Tuple.of(rows.iterator().next().getLong("position"), (long) MOST_MOVED)))
                .chain(rows -> moved(transaction, rows.rowCount())));
    }

    private static Uni<Boolean> moved(SqlConnection transaction, int count) {
        return count == 0
                ? Uni.createFrom().item(false)
                : Database.on(transaction, MOVED, Tuple.of((long) count)).replaceWith(count == MOST_MOVED);
    }

    static final String READ = """
            SELECT position, execution_id, job_id, endpoint, kind, attempt, error_type, next_run_at, at,
              detail::text AS detail
            FROM event_log
            WHERE position > $1::bigint
            ORDER BY position
            LIMIT $2::bigint
            """;

    /** At most {@code limit} events of the log after a position. */
    public Uni<List<ExecutionEvent>> read(long after, int limit) {
        return database.run(READ, Tuple.of(after, (long) limit)).map(rows -> Columns.list(rows, EventStore::event));
    }

    /** Assigns positions to the oldest events that have none, if there are any; returns whether there may be more. */
    public Uni<Boolean> moveIfAny() {
        return extent().chain(
                        extent -> extent.waiting() ? move() : Uni.createFrom().item(false));
    }

    /** The same, of all that has happened: one statement when that is nothing. */
    public Uni<List<ExecutionEvent>> follow(long after, int limit) {
        return extent().chain(extent -> follow(extent, after, limit));
    }

    /** The same, where the caller has just asked where the log is. */
    public Uni<List<ExecutionEvent>> follow(Extent extent, long after, int limit) {
        if (extent.last() > after) {
            return read(after, limit);
        }
        return extent.waiting()
                ? move().chain(() -> read(after, limit))
                : Uni.createFrom().item(List.of());
    }

    private static ExecutionEvent event(Row row) {
        return new ExecutionEvent(
                row.getLong("position"),
                ExecutionEvent.Kind.valueOf(row.getString("kind")),
                row.getUUID("execution_id"),
                row.getUUID("job_id"),
                row.getString("endpoint"),
                row.getInteger("attempt"),
                row.getString("error_type"),
                instantOrNull(row, "next_run_at"),
                instant(row, "at"),
                jsonOrNull(row, "detail"));
    }

    // What is looked at is limited, not what is found: much that is kept would else be read again with each batch.
    static final String REMOVE = """
            WITH removed AS (
              DELETE FROM event_log
              WHERE position = ANY(ARRAY(
                SELECT position FROM (SELECT position, at FROM event_log ORDER BY position LIMIT $2::bigint) AS oldest
                WHERE oldest.at < $1::timestamptz))
              RETURNING position
            )
            SELECT count(*) AS removed, max(position) AS last FROM removed
            """;

    private static final String REMOVED =
            "UPDATE event_positions SET position = greatest(position, $1::bigint) WHERE name = 'removed'";

    /** Removes events before {@code end}, of the {@code limit} first ones; returns how many. */
    public Uni<Integer> removeBefore(Instant end, int limit) {
        return database.withTransaction(
                transaction -> Database.on(transaction, REMOVE, Tuple.of(utc(end), (long) limit))
                        .chain(rows -> removed(transaction, rows)));
    }

    private static Uni<Integer> removed(SqlConnection transaction, RowSet<Row> rows) {
        var row = rows.iterator().next();
        @Nullable Long last = row.getLong("last");
        return last == null
                ? Uni.createFrom().item(0)
                : Database.on(transaction, REMOVED, Tuple.of(last)).replaceWith(row.getInteger("removed"));
    }
}
