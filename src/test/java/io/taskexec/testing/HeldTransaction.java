package io.taskexec.testing;

import static io.taskexec.testing.TestDb.await;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Transaction;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that a test keeps open on a connection of its own, so that what it tries meanwhile has to wait, or sees
 * the state from before. For PostgreSQL, which can say who waits for whom.
 */
public final class HeldTransaction implements AutoCloseable {
    private static final Duration BOUND = Duration.ofSeconds(10);

    private final TestDb db;
    private final SqlConnection connection;
    private final Transaction transaction;
    private final int pid;

    private HeldTransaction(TestDb db) {
        this.db = db;
        this.connection = await(db.pool().getConnection());
        this.transaction = await(connection.begin());
        this.pid = await(connection.query("SELECT pg_backend_pid()").execute())
                .iterator()
                .next()
                .getInteger(0);
    }

    /** Begins one. */
    public static HeldTransaction on(TestDb db) {
        return new HeldTransaction(db);
    }

    /** Runs a statement in it; returns how many rows that concerned. */
    public int run(String sql, @Nullable Object... parameters) {
        return await(connection.preparedQuery(sql).execute(Tuple.from(parameters)))
                .rowCount();
    }

    /** Begins something, and returns when it waits for this transaction; fails when it ends without. */
    public <T extends @Nullable Object> CompletableFuture<T> blocks(Uni<T> work) throws InterruptedException {
        var running = work.subscribeAsCompletionStage();
        var _ = Eventually.await(
                "something waits for the transaction",
                BOUND,
                () -> running.isDone() ? -1 : waiting(),
                found -> found != 0);
        if (running.isDone()) {
            throw new AssertionError("it did not wait, but ended with "
                    + running.handle((value, failure) -> failure == null ? String.valueOf(value) : failure.toString())
                            .join());
        }
        return running;
    }

    private long waiting() {
        return db.number("SELECT count(*) FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))", pid);
    }

    /** Makes what was done visible, and lets go of who waits. */
    public void commit() {
        await(transaction.commit());
    }

    /** Undoes what was not committed. */
    @Override
    public void close() {
        await(connection.close());
    }
}
