package io.taskexec.store.explanation;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Counts what is ahead of an execution, and tells which executions hold the places that it waits for. */
@Singleton
public final class LineStore {
    /** The limit of what is counted ahead of an execution. */
    public static final int MOST_AHEAD = 10_000;

    /** Executions that are told to hold places. */
    public static final int MOST_HOLDERS = 100;

    /** Executions that are looked at for the rate of a lane, and in each lane for holders. */
    private static final int MOST_LOOKS = 2_000;

    private final Database database;

    public LineStore(Database database) {
        this.database = database;
    }

    /**
     * A place in a line.
     *
     * @param ahead executions before it, at most {@link #MOST_AHEAD}
     * @param isMore whether there are more
     */
    public record Place(int ahead, boolean isMore) {
        static Place of(RowSet<Row> rows) {
            var counted = Math.toIntExact(rows.iterator().next().getLong("ahead"));
            return new Place(Math.min(counted, MOST_AHEAD), counted > MOST_AHEAD);
        }
    }

    // Entries of the index of the claim, as a claim that names these lanes comes to them.
    static final String AHEAD = """
            SELECT count(*) AS ahead FROM (
              (SELECT 1 AS one FROM exec_live WHERE lane = ANY($2::int[]) AND visible_at <= now() LIMIT $4::bigint)
              UNION ALL
              (SELECT 1 FROM exec_live
               WHERE lane = $3::int AND visible_at < (SELECT visible_at FROM exec_live WHERE execution_id = $1::uuid)
               LIMIT $4::bigint)
              LIMIT $4::bigint) AS found
            """;

    /** The place of an execution that is due among those of its lane group. */
    public Uni<Place> inLane(UUID executionId, int lane) {
        var parameters = Tuple.tuple()
                .addUUID(executionId)
                .addValue(lanes(Lanes.line(lane), lane))
                .addInteger(lane)
                .addLong(MOST_AHEAD + 1L);
        return database.run(AHEAD, parameters).map(Place::of);
    }

    private static Integer[] lanes(int from, int before) {
        return IntStream.range(from, before).boxed().toArray(Integer[]::new);
    }

    // What has just ended was created shortly before the head of the lanes, in the order of ids; what runs is next to
    // come up again. Each look stops at its limit, and an answer that finds nothing says nothing.
    static final String RATE = """
            WITH head AS MATERIALIZED (
              SELECT execution_id FROM exec_live WHERE lane = ANY($1::int[]) AND visible_at <= now()
              ORDER BY lane, visible_at LIMIT 1
            ), ended AS MATERIALIZED (
              SELECT lane, started_at FROM executions
              WHERE execution_id < (SELECT execution_id FROM head)
              ORDER BY execution_id DESC LIMIT $2::bigint
            ), running AS MATERIALIZED (
              SELECT lane, started_at, lease_token FROM exec_live
              WHERE lane = ANY($1::int[]) AND visible_at > now() AND visible_at < now() + interval '1 hour'
              LIMIT $2::bigint
            )
            SELECT count(*) AS starts,
              greatest(extract(epoch FROM now() - min(started_at)), 1)::float8 AS seconds
            FROM (SELECT started_at FROM ended WHERE lane = ANY($1::int[])
                  UNION ALL SELECT started_at FROM running WHERE lease_token IS NOT NULL) AS starts
            WHERE started_at > now() - interval '1 minute'
            """;

    /**
     * Executions of a lane group that have begun per second, in the last minute or a later part of it; null when
     * nothing is known of any.
     */
    public Uni<@Nullable Double> startsPerSecond(int lane) {
        var line = Lanes.line(lane);
        var parameters =
                Tuple.tuple().addValue(lanes(line, line + Lanes.PRIORITIES)).addLong((long) MOST_LOOKS);
        return database.run(RATE, parameters)
                .map(rows -> Columns.first(
                        rows,
                        row -> row.getLong("starts") == 0 ? null : row.getLong("starts") / row.getDouble("seconds")));
    }

    // The order of the line; those that have been released and wait in their lane are before it.
    static final String AHEAD_IN_KEY = """
            SELECT count(*) AS ahead FROM (
              (SELECT 1 AS one FROM exec_live WHERE flow_id = $2::bigint AND flow_state = 0 AND visible_at <= now()
               LIMIT $3::bigint)
              UNION ALL
              (SELECT 1 FROM exec_live x
               WHERE x.flow_id = $2::bigint AND x.flow_state = 1
                 AND (x.flow_line, x.run_at, x.execution_id) < (
                   SELECT m.flow_line, m.run_at, m.execution_id FROM exec_live m WHERE m.execution_id = $1::uuid)
               LIMIT $3::bigint)
              LIMIT $3::bigint) AS found
            """;

    /** The place of a parked execution in the line of its flow key. */
    public Uni<Place> inKey(UUID executionId, long flowId) {
        return database.run(AHEAD_IN_KEY, Tuple.of(executionId, flowId, MOST_AHEAD + 1L))
                .map(Place::of);
    }

    // No index has what holds a place of a key, since each claim and each end would have to keep it up. What holds one
    // has a lease, is deferred or waits for its next attempt, so it is among what comes up next in its lane: at most so
    // many of each lane are looked at, those of its own queue first.
    static final String HOLDERS_OF_KEY =
            """
            WITH RECURSIVE %1$s, keyed AS MATERIALIZED (
              SELECT lane FROM lanes WHERE lane < 0
              ORDER BY CASE WHEN %2$s = $2::int THEN 0 ELSE 1 END, lane
            ), found AS MATERIALIZED (
              SELECT x.execution_id, x.flow_id, x.flow_state
              FROM keyed, LATERAL (
                (SELECT execution_id, flow_id, flow_state FROM exec_live
                 WHERE lane = keyed.lane AND visible_at > now() AND visible_at < %3$s
                 ORDER BY visible_at LIMIT $3::bigint)
                UNION ALL
                (SELECT execution_id, flow_id, flow_state FROM exec_live
                 WHERE lane = keyed.lane AND visible_at <= now()
                 ORDER BY visible_at LIMIT $3::bigint)) AS x
              LIMIT 10 * $3::bigint
            )
            SELECT execution_id FROM found WHERE flow_id = $1::bigint AND flow_state = 2 LIMIT $4::bigint
            """.formatted(Lanes.OCCUPIED, Lanes.queue("lane"), DependencyStatement.WAITING_TIME);

    /** Executions that hold places of a flow key; not all of them when many others are in the same lanes. */
    public Uni<List<UUID>> holdersOfKey(long flowId, int lane) {
        var parameters = Tuple.of(flowId, Lanes.queueId(lane), (long) MOST_LOOKS, (long) MOST_HOLDERS);
        return database.run(HOLDERS_OF_KEY, parameters)
                .map(rows -> Columns.list(rows, row -> row.getUUID("execution_id")));
    }

    /**
     * Executions that count for the limits of a queue.
     *
     * @param some at most {@link #MOST_HOLDERS} of them
     */
    public record Holders(int count, List<UUID> some) {}

    // The index of what runs of queues with limits; a claim of such a queue counts the same.
    static final String HOLDERS_OF_QUEUE = """
            SELECT execution_id, count(*) OVER () AS total FROM (
              SELECT execution_id FROM exec_live
              WHERE holds_queue AND lease_token IS NOT NULL AND visible_at > now()
                AND lane >= $1::int AND lane < $1::int + %1$d
              UNION ALL
              SELECT execution_id FROM exec_live
              WHERE holds_queue AND lease_token IS NOT NULL AND visible_at > now()
                AND lane >= $1::int - %2$d AND lane < $1::int + %1$d - %2$d) AS running
            LIMIT $2::bigint
            """.formatted(Lanes.PER_QUEUE, Lanes.KEYED);

    /** The executions of a queue with limits that run. */
    public Uni<Holders> holdersOfQueue(int lane) {
        var first = Lanes.queueId(lane) * Lanes.PER_QUEUE;
        return database.run(HOLDERS_OF_QUEUE, Tuple.of(first, (long) MOST_HOLDERS))
                .map(rows -> new Holders(
                        rows.size() == 0
                                ? 0
                                : Math.toIntExact(rows.iterator().next().getLong("total")),
                        Columns.list(rows, row -> row.getUUID("execution_id"))));
    }
}
