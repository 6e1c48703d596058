package io.taskexec.store.endpoint;

import static io.taskexec.store.sql.Columns.instant;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the state of a named resource and keeps it until the transaction ends, so that of two writes meant for the
 * same state only one happens.
 */
final class RowLock {
    private RowLock() {}

    /**
     * Writes to a resource that is there; else returns {@code absent} without writing, since by now another one could
     * have been created, which no check has looked at. Fails with {@link PreconditionFailedException}.
     */
    static <T extends @Nullable Object> Uni<T> holding(
            SqlConnection transaction,
            String lockSql,
            String name,
            Precondition condition,
            Supplier<Uni<T>> write,
            T absent) {
        return Database.on(transaction, lockSql, Tuple.of(name))
                .invoke(rows -> check(rows, condition))
                .chain(rows ->
                        rows.rowCount() > 0 ? write.get() : Uni.createFrom().item(absent));
    }

    /**
     * Whether a resource is as a write has left it at this version and time. Waits for that write, whose commit may be
     * under way.
     *
     * @param sql selects its {@code version} and {@code updated_at}
     */
    static Uni<Boolean> isLeft(
            SqlConnection transaction, String lockSql, String sql, String name, int version, Instant updatedAt) {
        return Database.on(transaction, lockSql, Tuple.of(name))
                .chain(() -> Database.on(transaction, sql, Tuple.of(name)))
                .map(rows -> {
                    var row = rows.rowCount() == 0 ? null : rows.iterator().next();
                    return row != null
                            && row.getInteger("version") == version
                            && instant(row, "updated_at").equals(updatedAt);
                });
    }

    /** Whether there is no resource of that name. */
    static Uni<Boolean> isGone(SqlConnection transaction, String lockSql, String name) {
        return Database.on(transaction, lockSql, Tuple.of(name)).map(rows -> rows.rowCount() == 0);
    }

    /** Throws {@link PreconditionFailedException} when the row of a resource, if it is there, is not as it must be. */
    static void check(RowSet<Row> rows, Precondition condition) {
        rows.forEach(row -> {
            if (!condition.holds(row.getInteger("version"), instant(row, "created_at"))) {
                throw new PreconditionFailedException();
            }
        });
    }
}
