package io.taskexec.store;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;

/** Queues, and the lanes that they are made of. */
@Singleton
public final class QueueStore {
    private final Database database;

    public QueueStore(Database database) {
        this.database = database;
    }

    private static final String SELECT = "SELECT queue_id FROM queues ORDER BY queue_id";

    /** The lanes that a worker may claim from. */
    public Uni<Integer[]> runnableLanes() {
        return database.run(SELECT, Tuple.tuple())
                .map(rows -> Columns.list(rows, row -> row.getInteger("queue_id")).stream()
                        .flatMapToInt(Lanes::ofQueue)
                        .boxed()
                        .toArray(Integer[]::new));
    }
}
