package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;

/** Ends executions that have expired while they waited, whatever holds them back. */
@Singleton
public final class ExpiryStore {
    private final Database database;
    private final FlowReleases flowReleases;
    private final String expire;

    public ExpiryStore(Database database, FlowReleases flowReleases) {
        this.database = database;
        this.flowReleases = flowReleases;
        this.expire = database.form(ExpiryStatement.DUE);
    }

    /** Ends at most {@code most} of them; returns how many those were. */
    public Uni<Integer> expire(int most) {
        return database.run(expire, Tuple.of((long) most))
                .invoke(flowReleases::after)
                .invoke(rows -> count(database, rows))
                .map(RowSet::rowCount);
    }

    /** Counts the rows of an answer with their {@code attempts}. */
    static void count(Database database, RowSet<Row> rows) {
        var unbegun = 0;
        for (var row : rows) {
            unbegun += row.getInteger("attempts") == 0 ? 1 : 0;
        }
        database.metrics().expired(unbegun, rows.size() - unbegun);
    }
}
