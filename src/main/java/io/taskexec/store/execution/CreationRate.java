package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.Uuid7;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Tells how many executions are created in a second, over all processes. */
@Singleton
public final class CreationRate {
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final int MOST = 2_000;
    private static final double SHORTEST_SPAN = 0.1;
    private static final int MILLIS_SHIFT = 16;

    private final Database database;

    public CreationRate(Database database) {
        this.database = database;
    }

    // Ids sort by their time, so the newest are the end of the primary key of each table: at most so many of each are
    // looked at.
    static final String NEWEST = """
            SELECT count(*) AS found, min(execution_id::text) AS first_id
            FROM (
              SELECT execution_id FROM (
                (SELECT execution_id FROM exec_live WHERE execution_id >= $1::uuid
                 ORDER BY execution_id DESC LIMIT $2::bigint)
                UNION ALL
                (SELECT execution_id FROM executions WHERE execution_id >= $1::uuid
                 ORDER BY execution_id DESC LIMIT $2::bigint)
              ) AS recent
              ORDER BY execution_id DESC
              LIMIT $2::bigint
            ) AS newest
            """;

    /** Reads it: the mean of the last ten seconds, or of less when many are created. */
    public Uni<Double> perSecond() {
        var now = ProgramClock.now();
        return database.run(NEWEST, Tuple.of(Uuid7.floor(now.minus(WINDOW)), (long) MOST))
                .map(rows -> {
                    var row = rows.iterator().next();
                    var found = row.getLong("found");
                    var first = row.getString("first_id");
                    return first == null ? 0.0 : found / span(found, first, now);
                });
    }

    private static double span(long found, String first, Instant now) {
        if (found < MOST) {
            return WINDOW.toSeconds();
        }
        var createdAt = UUID.fromString(first).getMostSignificantBits() >>> MILLIS_SHIFT;
        return Math.max(SHORTEST_SPAN, (now.toEpochMilli() - createdAt) / 1000.0);
    }
}
