package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Ends executions that have expired while they waited, whatever holds them back. */
@Singleton
public final class ExpiryStore {
    private final Database database;
    private final FlowReleases flowReleases;
    private final DependencyReleases dependencyReleases;
    private final String expire;

    public ExpiryStore(Database database, FlowReleases flowReleases, DependencyReleases dependencyReleases) {
        this.database = database;
        this.flowReleases = flowReleases;
        this.dependencyReleases = dependencyReleases;
        this.expire = database.form(ExpiryStatement.DUE);
    }

    private static final String NEXT = """
            SELECT ceil(extract(epoch FROM least(expires_at, now() + interval '1 day') - now()) * 1000)::bigint AS ms
            FROM exec_live WHERE expires_at IS NOT NULL ORDER BY expires_at LIMIT 1
            """;

    /** The time until the next one expires, at most a day; zero or less when one has, null when none will. */
    public Uni<@Nullable Duration> untilNext() {
        return database.run(NEXT, Tuple.tuple())
                .map(rows -> Columns.first(rows, row -> Duration.ofMillis(row.getLong("ms"))));
    }

    /** Ends at most {@code most} of them; returns how many those were. */
    public Uni<Integer> expire(int most) {
        return database.run(expire, Tuple.of((long) most))
                .invoke(flowReleases::after)
                .invoke(dependencyReleases::after)
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
