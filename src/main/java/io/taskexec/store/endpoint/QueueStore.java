package io.taskexec.store.endpoint;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.Queue;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.LimitReachedException;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;

/** Queues. */
@Singleton
public final class QueueStore {
    /** Each queue costs every claim a look at its lanes. */
    public static final int MAX_QUEUES = 100;

    private final Database database;

    public QueueStore(Database database) {
        this.database = database;
    }

    private static final String SELECT = """
            SELECT queue_id, EXISTS (SELECT 1 FROM exec_live WHERE lane < 0) AS have_keys FROM queues ORDER BY queue_id
            """;

    /**
     * The queues that a worker may claim from.
     *
     * @param ids their numbers
     * @param haveKeys whether there are executions with flow keys
     */
    public record Runnable(List<Integer> ids, boolean haveKeys) {}

    /** Returns the queues that a worker may claim from. */
    public Uni<Runnable> runnable() {
        return database.run(SELECT, Tuple.tuple())
                .map(rows -> new Runnable(
                        Columns.list(rows, row -> row.getInteger("queue_id")),
                        rows.iterator().next().getBoolean("have_keys")));
    }

    private static final String SELECT_ID = "SELECT queue_id FROM queues WHERE name = $1::text";

    // One after the other, for the next number to be free.
    private static final String LOCK = "SELECT queue_id FROM queues WHERE queue_id = 0 FOR UPDATE";

    private static final String INSERT = """
            INSERT INTO queues (queue_id, name)
            SELECT max(queue_id) + 1, $1::text FROM queues HAVING count(*) < $2::bigint
            ON CONFLICT (name) DO NOTHING
            """;

    /** The queue of that name, which comes into being when it is named for the first time. */
    static Uni<Queue> named(SqlConnection transaction, String name) {
        if (name.equals(Queue.DEFAULT.name())) {
            return Uni.createFrom().item(Queue.DEFAULT);
        }
        return find(transaction, name)
                .chain(found -> found.isEmpty()
                        ? insert(transaction, name)
                        : Uni.createFrom().item(found))
                .map(found -> new Queue(found.getFirst(), name));
    }

    private static Uni<List<Integer>> insert(SqlConnection transaction, String name) {
        return Database.on(transaction, LOCK, Tuple.tuple())
                .chain(() -> Database.on(transaction, INSERT, Tuple.of(name, (long) MAX_QUEUES)))
                .chain(() -> find(transaction, name))
                .invoke(found -> {
                    if (found.isEmpty()) {
                        throw new LimitReachedException("There are " + MAX_QUEUES + " queues already.");
                    }
                });
    }

    private static Uni<List<Integer>> find(SqlConnection transaction, String name) {
        return Database.on(transaction, SELECT_ID, Tuple.of(name))
                .map(rows -> Columns.list(rows, row -> row.getInteger("queue_id")));
    }
}
