package io.taskexec.store.execution;

import static io.taskexec.store.sql.Columns.durationOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads which lane groups have something due. */
@Singleton
public final class LaneDirectory {
    private final Database database;

    public LaneDirectory(Database database) {
        this.database = database;
    }

    /**
     * A reading of the directory.
     *
     * @param due the lane groups that have something due, by their first lanes
     * @param untilNext how long until the next execution of another lane becomes due; null when none waits
     * @param lanes how many lanes were looked at
     */
    public record Reading(List<Integer> due, @Nullable Duration untilNext, int lanes) {}

    // Not more than a day, since there is no interval up to an infinite time.
    static final String READ = """
            WITH RECURSIVE %s
            SELECT array_agg(DISTINCT %s) FILTER (WHERE visible_at <= now()) AS due,
                   ceil(extract(epoch FROM
                     min(least(visible_at, now() + interval '1 day')) FILTER (WHERE visible_at > now()) - now()
                   ) * 1000)::bigint AS delay_ms,
                   (SELECT count(*) FROM lanes)::int AS looks
            FROM lanes
            WHERE %s = ANY($1::int[]) AND (lane & 7) <= $2::int
            """.formatted(Lanes.OCCUPIED, Lanes.firstOfLine("lane"), Lanes.region("lane"));

    /**
     * The lanes that are looked at.
     *
     * @param leastUrgent the lowest priority, as a number
     */
    public record Scope(List<Integer> regions, int leastUrgent) {}

    /** Reads the lanes of a scope. */
    public Uni<Reading> read(Scope scope) {
        var parameters =
                Tuple.tuple().addValue(scope.regions().toArray(Integer[]::new)).addInteger(scope.leastUrgent());
        return database.run(database.keepingPlan(READ), parameters)
                .map(rows -> reading(rows.iterator().next()));
    }

    private static Reading reading(Row row) {
        var due = row.getArrayOfIntegers("due");
        return new Reading(
                due == null ? List.of() : List.of(due), durationOrNull(row, "delay_ms"), row.getInteger("looks"));
    }
}
