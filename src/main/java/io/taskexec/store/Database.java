package io.taskexec.store;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import io.vertx.pgclient.PgException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements and transactions, and is the one place that runs them again after a failure that is nobody's fault.
 * That is safe even when only the answer was lost: every write of the store is idempotent. Of a claim whose answer was
 * lost the rows stay leased until the lease ends.
 */
@Singleton
public final class Database {
    private static final Duration FIRST_RETRY = Duration.ofMillis(10);
    private static final Duration LAST_RETRY = Duration.ofMillis(500);
    private static final int RETRIES = 5;
    private static final double JITTER = 0.5;

    /** serialization_failure, deadlock_detected, lock_not_available, and shutdowns and starts of the server. */
    private static final Set<String> PASSING =
            Set.of("40001", "40P01", "55P03", "57P01", "57P02", "57P03", "53300", "08000", "08003", "08006");

    private final Pool pool;

    public Database(Pool pool) {
        this.pool = pool;
    }

    /** Runs one statement outside any transaction of ours. */
    Uni<RowSet<Row>> run(String sql, Tuple parameters) {
        return retried(() -> on(pool, sql, parameters));
    }

    /** Runs {@code work} in a transaction that is rolled back when it fails; all of it may run more than once. */
    <T extends @Nullable Object> Uni<T> withTransaction(Function<SqlConnection, Uni<T>> work) {
        return retried(() -> pool.withTransaction(work));
    }

    /** Whether the database answers within {@code patience}; never fails. */
    public Uni<Boolean> answers(Duration patience) {
        return pool.query("SELECT 1")
                .execute()
                .replaceWith(true)
                .ifNoItem()
                .after(patience)
                .fail()
                .onFailure()
                .recoverWithItem(false);
    }

    /** Runs one statement within a transaction. */
    static Uni<RowSet<Row>> on(SqlClient client, String sql, Tuple parameters) {
        return client.preparedQuery(sql).execute(parameters);
    }

    /** Whether a statement failed because of a value in it: SQLSTATE classes 22 (data) and 23 (constraint). */
    public static boolean blamesData(Throwable failure) {
        return failure instanceof PgException e
                && (e.getSqlState().startsWith("22") || e.getSqlState().startsWith("23"));
    }

    /** The name of the constraint that refused a statement, null when the failure is another one. */
    static @Nullable String violatedConstraint(Throwable failure) {
        return failure instanceof PgException e && e.getSqlState().startsWith("23") ? e.getConstraint() : null;
    }

    private static <T extends @Nullable Object> Uni<T> retried(Supplier<Uni<T>> work) {
        return Uni.createFrom()
                .deferred(() -> work.get())
                .onFailure(Database::passes)
                .retry()
                .withBackOff(FIRST_RETRY, LAST_RETRY)
                .withJitter(JITTER)
                .atMost(RETRIES);
    }

    private static boolean passes(Throwable failure) {
        return failure instanceof PgException e
                ? PASSING.contains(e.getSqlState())
                : failure instanceof java.io.IOException
                        || failure instanceof io.vertx.sqlclient.ClosedConnectionException;
    }
}
