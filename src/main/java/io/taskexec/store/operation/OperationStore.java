package io.taskexec.store.operation;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.json;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.Page;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.Operation;
import io.taskexec.model.job.OperationAction;
import io.taskexec.model.job.OperationStatus;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Conditions;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.sql.UnreadableException;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Operations on many executions: creates, shows and ends them. {@link BulkStore} moves them on. */
@Singleton
public final class OperationStore {
    private static final int MAX_RUNNING = 20;
    private static final int MAX_FAILURES = 10;

    private final Database database;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public OperationStore(Database database) {
        this.database = database;
    }

    /** Calls {@code listener} when this process has created an operation; it must not block. */
    public void onCreate(Runnable listener) {
        listeners.add(listener);
    }

    /** An operation that is asked for. */
    public record NewOperation(
            UUID id,
            OperationAction action,
            ExecutionSelection selection,
            int ratePerSec,
            @Nullable Long max,
            @Nullable Long total) {}

    // One after the other, since those that are just being created cannot be counted.
    private static final String LOCK = "UPDATE epochs SET value = value + 1 WHERE name = 'operations'";

    private static final String INSERT = """
            INSERT INTO operations
              (operation_id, action, selection, rate_per_sec, max_executions, total, next_at, created_at)
            SELECT $1::uuid, $2::text, $3::text::json, $4::integer, $5::bigint, $6::bigint, now(), now()
            WHERE (SELECT count(*) FROM operations WHERE status = 'RUNNING') < $7::bigint
            ON CONFLICT (operation_id) DO NOTHING
            """;

    /** Fails with {@link LimitReachedException} when many run already. */
    public Uni<Operation> create(NewOperation operation) {
        var parameters = Tuple.tuple()
                .addValue(operation.id())
                .addValue(operation.action().name())
                .addValue(Json.write(operation.selection().toJson()))
                .addValue(operation.ratePerSec())
                .addValue(operation.max())
                .addValue(operation.total())
                .addValue((long) MAX_RUNNING);
        return database.withTransaction(transaction -> Database.on(transaction, LOCK, Tuple.tuple())
                        .chain(() -> Database.on(transaction, INSERT, parameters)))
                .chain(() -> find(operation.id()))
                .map(created -> {
                    if (created == null) {
                        throw new LimitReachedException(MAX_RUNNING + " operations run already.");
                    }
                    return created;
                })
                .invoke(() -> listeners.forEach(Runnable::run));
    }

    private static final String COLUMNS = """
            SELECT operation_id, action, selection::text AS selection, status, rate_per_sec, max_executions, total,
                   position, done, skipped, created_at, started_at, ended_at
            """;

    private static final String FIND = COLUMNS + "FROM operations WHERE operation_id = $1::uuid";

    /** Returns null when no operation has that id. */
    public Uni<@Nullable Operation> find(UUID id) {
        return database.run(FIND, Tuple.of(id)).map(rows -> Columns.first(rows, OperationStore::read));
    }

    /** Newest first; {@code after} is the last operation of the page before. */
    public Uni<Page<Operation, UUID>> list(int limit, @Nullable UUID after) {
        var conditions = new Conditions().and("operation_id < ?::uuid", after);
        var sql = COLUMNS + "FROM operations " + conditions.where() + "ORDER BY operation_id DESC LIMIT "
                + conditions.next() + "::bigint";
        return database.run(sql, conditions.parameters(limit + 1L))
                .map(rows -> Page.of(Columns.list(rows, OperationStore::read), limit, Operation::id));
    }

    private static final String CANCEL = """
            UPDATE operations SET status = 'CANCELLED', ended_at = now()
            WHERE operation_id = $1::uuid AND status = 'RUNNING'
            """;

    /** Ends an operation, of which nothing more is done when this returns; returns false when it had ended. */
    public Uni<Boolean> cancel(UUID id) {
        return database.run(CANCEL, Tuple.of(id)).map(rows -> rows.rowCount() > 0);
    }

    /**
     * An operation that has not ended.
     *
     * @param delay how long its rate allows nothing more
     */
    public record Running(Operation operation, Duration delay) {}

    private static final String RUNNING = COLUMNS + """
            , greatest(ceil(extract(epoch FROM next_at - clock_timestamp()) * 1000), 0)::bigint AS wait_ms
            FROM operations WHERE status = 'RUNNING'
            """;

    /** An operation that has not ended and cannot be read. */
    public record Unreadable(UUID id, UnreadableException reason) {}

    /** Operations that have not ended; one that cannot be read does not keep the others from moving on. */
    public record AllRunning(List<Running> readable, List<Unreadable> unreadable) {}

    /** All operations that have not ended. */
    public Uni<AllRunning> running() {
        return database.run(RUNNING, Tuple.tuple()).map(OperationStore::readAll);
    }

    private static AllRunning readAll(RowSet<Row> rows) {
        var readable = new ArrayList<Running>();
        var unreadable = new ArrayList<Unreadable>();
        for (var row : rows) {
            try {
                readable.add(UnreadableException.reading("The operation", () -> readRunning(row)));
            } catch (UnreadableException e) {
                unreadable.add(new Unreadable(row.getUUID("operation_id"), e));
            }
        }
        return new AllRunning(readable, unreadable);
    }

    private static final String GIVE_UP = """
            UPDATE operations SET status = 'FAILED', ended_at = now()
            WHERE operation_id = $1::uuid AND status = 'RUNNING'
            """;

    /** Ends an operation of which nothing more can be done. */
    public Uni<Void> giveUp(UUID id) {
        return database.run(GIVE_UP, Tuple.of(id)).replaceWithVoid();
    }

    private static final String FAILED = """
            UPDATE operations
            SET failures = failures + 1, next_at = now() + least(power(2, failures), 60) * interval '1 second',
                status = CASE WHEN failures + 1 >= $3::integer THEN 'FAILED' ELSE status END,
                ended_at = CASE WHEN failures + 1 >= $3::integer THEN now() END
            WHERE operation_id = $1::uuid AND position = $2::uuid AND status = 'RUNNING'
            """;

    /** A batch of it has failed: it is tried again later and less and less often, and fails in the end. */
    public Uni<Void> failed(Operation operation) {
        return database.run(FAILED, Tuple.of(operation.id(), operation.position(), MAX_FAILURES))
                .replaceWithVoid();
    }

    private static Running readRunning(Row row) {
        return new Running(read(row), Duration.ofMillis(row.getLong("wait_ms")));
    }

    private static Operation read(Row row) {
        return new Operation(
                row.getUUID("operation_id"),
                OperationAction.valueOf(row.getString("action")),
                ExecutionSelection.of(json(row, "selection")),
                OperationStatus.valueOf(row.getString("status")),
                row.getInteger("rate_per_sec"),
                row.getLong("max_executions"),
                row.getLong("total"),
                row.getUUID("position"),
                row.getLong("done"),
                row.getLong("skipped"),
                instant(row, "created_at"),
                instantOrNull(row, "started_at"),
                instantOrNull(row, "ended_at"));
    }
}
