package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.LeaseStore.KeyedAnswer;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.metrics.StoreMetrics;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Claims due executions that have flow keys, as far as the limits of the keys let it. */
final class KeyedClaims {
    private final Database database;
    private final FlowReleases releases;
    private final StoreMetrics metrics;
    private final String claim;

    KeyedClaims(Database database, FlowReleases releases) {
        this.database = database;
        this.releases = releases;
        this.metrics = database.metrics();
        this.claim = database.form(metrics.areOn() ? ClaimStatement.KEYED_MEASURED : ClaimStatement.KEYED);
    }

    /** Claims at most {@code limit} due executions of these lanes, the first lanes first. */
    Uni<KeyedAnswer> claim(Integer[] lanes, int limit, Duration lease, UUID workerId) {
        var token = ThreadLocalRandom.current().nextLong();
        var parameters = Tuple.tuple()
                .addValue(lanes)
                .addLong((long) limit)
                .addLong(lease.toMillis())
                .addLong(token)
                .addUUID(workerId)
                .addInteger(LeaseStore.MAX_RESCUES);
        return database.run(claim, parameters)
                .chain(rows -> ClaimRows.read(database, rows, token).chain(claims -> answer(rows, claims)));
    }

    private Uni<KeyedAnswer> answer(RowSet<Row> rows, List<Claim> claims) {
        if (metrics.areOn()) {
            metrics.claims().claimed(rows, claims.size());
        }
        var seen = Math.toIntExact(rows.iterator().next().getLong("seen"));
        return releases.claimed(rows, claims.size()).replaceWith(new KeyedAnswer(claims, seen));
    }
}
