package io.taskexec.store.invariant;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Finding;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.StoreConfig;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.stream.Stream;

/** Looks for rows that cannot be there, and for those that must be. */
@Singleton
public final class InvariantStore {
    private final Database database;
    private final List<InvariantQuery> queries;

    public InvariantStore(Database database, StoreConfig config) {
        this.database = database;
        this.queries = Stream.of(
                        QueueInvariants.ALL,
                        FlowInvariants.ALL,
                        DependencyInvariants.ALL,
                        WorkflowInvariants.ALL,
                        DeferralInvariants.ALL,
                        HistoryInvariants.ALL,
                        List.of(HistoryInvariants.keys(config.idempotencyKeyTtlHours())),
                        ScheduleInvariants.ALL)
                .flatMap(List::stream)
                .toList();
    }

    /**
     * One finding for each invariant, whether it holds or not.
     *
     * @param limit rows of a table, or of a lane of the queue, that are looked at for one of them
     */
    public Uni<List<Finding>> check(int limit) {
        return Multi.createFrom()
                .iterable(queries)
                .onItem()
                .transformToUniAndConcatenate(query -> check(query, limit))
                .collect()
                .asList();
    }

    private Uni<Finding> check(InvariantQuery query, int limit) {
        return database.run(query.counted(), Tuple.of((long) limit)).map(rows -> {
            var count = Columns.first(rows, row -> row.getLong("total"));
            return new Finding(
                    query.invariant(), count == null ? 0 : count, Columns.list(rows, row -> row.getString("id")));
        });
    }
}
