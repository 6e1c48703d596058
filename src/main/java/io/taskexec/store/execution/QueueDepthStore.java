package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;

/** Measures the depth of queues by a bounded look at the index. */
@Singleton
public final class QueueDepthStore {
    /** The limit of the count of one queue and state. */
    private static final int MOST = 100_000;

    /** The limit of the count of all queues and one state, unless there are so many queues that each has few. */
    private static final int MOST_OF_ALL = 200_000;

    private static final int FEWEST = 2_000;

    /** Whether something runs is not in the index, so fewer are looked at. */
    private static final int RUNNING_PART = 10;

    private final Database database;

    public QueueDepthStore(Database database) {
        this.database = database;
    }

    /**
     * A queue; the numbers are at least these.
     *
     * @param ready executions that a worker may claim
     * @param scheduled those that wait for their time, for the next attempt, for their receiver or for others of their
     *     flow key
     * @param running those that a worker has a lease of
     * @param oldestAge for how many seconds the one has been ready that has been for longest, at most a year, 0 when
     *     none is
     */
    public record Depth(String queue, long ready, long scheduled, long running, double oldestAge) {}

    private static final String COUNT = "SELECT count(*) AS n FROM queues WHERE deleted_at IS NULL";

    // What has a lease comes up again when that ends, so it is among the next of its lane. That reads the rows, the
    // others only the index.
    static final String DEPTHS = """
            WITH RECURSIVE %s, queue AS MATERIALIZED (
              SELECT q.queue_id, q.name, array_agg(lanes.lane) AS lanes
              FROM queues q LEFT JOIN lanes ON %s = q.queue_id
              WHERE q.deleted_at IS NULL
              GROUP BY q.queue_id, q.name
            )
            SELECT queue.name, due.n AS ready, later.n AS later, leased.n AS running,
                   coalesce(oldest.age, 0)::float8 AS age
            FROM queue,
              LATERAL (SELECT count(*) AS n FROM (
                SELECT lane FROM exec_live WHERE lane = ANY(queue.lanes) AND visible_at <= now() LIMIT $1::bigint) AS x
              ) AS due,
              LATERAL (SELECT count(*) AS n FROM (
                SELECT lane FROM exec_live WHERE lane = ANY(queue.lanes) AND visible_at > now() LIMIT $1::bigint) AS x
              ) AS later,
              LATERAL (SELECT count(*) AS n FROM unnest(queue.lanes) AS l(lane), LATERAL (
                SELECT lease_token FROM exec_live WHERE lane = l.lane AND visible_at > now()
                ORDER BY visible_at LIMIT $2::bigint) AS x
                WHERE x.lease_token IS NOT NULL
              ) AS leased,
              LATERAL (
                SELECT extract(epoch FROM max(now() - greatest(x.visible_at, now() - interval '8760 hours'))) AS age
                FROM unnest(queue.lanes) AS l(lane), LATERAL (
                SELECT visible_at FROM exec_live WHERE lane = l.lane AND visible_at <= now()
                ORDER BY visible_at LIMIT 1) AS x
              ) AS oldest
            ORDER BY queue.queue_id
            """.formatted(Lanes.OCCUPIED, Lanes.queue("lanes.lane"));

    /** All queues but deleted ones, the default one first. */
    public Uni<List<Depth>> depths() {
        return database.run(COUNT, Tuple.tuple())
                .map(rows -> rows.iterator().next().getLong("n"))
                .chain(queues -> depths(Math.clamp(MOST_OF_ALL / Math.max(1, queues), FEWEST, MOST)));
    }

    Uni<List<Depth>> depths(int most) {
        var parameters = Tuple.of((long) most, (long) Math.max(1, most / RUNNING_PART));
        return database.run(DEPTHS, parameters).map(rows -> Columns.list(rows, QueueDepthStore::read));
    }

    private static Depth read(Row row) {
        var running = row.getLong("running");
        return new Depth(
                row.getString("name"),
                row.getLong("ready"),
                Math.max(0, row.getLong("later") - running),
                running,
                row.getDouble("age"));
    }
}
